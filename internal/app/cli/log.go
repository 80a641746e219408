package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

// defaultLines is how many lines are shown without --limit and --offset.
const defaultLines = 200

type logFlags struct {
	limit, offset   int64
	follow, raw     bool
	filter, exclude string
	stream          string
}

func (a *app) logCommand() *cobra.Command {
	f := logFlags{limit: notGiven, offset: notGiven}
	cmd := &cobra.Command{
		Use:     "log ID",
		GroupID: groupRead,
		Short:   "Prints the output of a job as lines",
		Long: "Prints the output of a job as lines, without escape sequences. Without flags the\n" +
			"last 200. Filters apply first, then the window. Without ID, on a terminal, you choose.",
		Example:           "hob log --follow @\nhob log --filter 'error|warn' --limit 20 make-test\nhob log --raw @ | less -R",
		Args:              words(0, 1, "a job"),
		ValidArgsFunction: a.completeJobs(engine.Filter{}, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.log(cmd.Context(), args, f)
		},
	}
	flags := cmd.Flags()
	flags.VarP(countFlag(&f.limit), "limit", "n", "that many lines: the last, or from --offset on")
	flags.Var(countFlag(&f.offset), "offset", "from this line on, counted from 0")
	flags.BoolVarP(&f.follow, "follow", "f", false, "go on until the job ends")
	flags.StringVar(&f.filter, "filter", "", "only lines that match this regular expression")
	flags.StringVar(&f.exclude, "exclude", "", "no lines that match this regular expression")
	flags.BoolVar(&f.raw, "raw", false, "the bytes as the job wrote them")
	flags.StringVar(&f.stream, "stream", "", "stdout or stderr, of a job that keeps them apart")
	completeWords(cmd, "stream", "stdout", "stderr")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) log(ctx context.Context, args []string, f logFlags) error {
	q, err := f.query()
	if err != nil {
		return err
	}
	switch {
	case f.raw && (f.filter != "" || f.exclude != "" || f.limit >= 0 || f.offset >= 0):
		return usagef("hob log --raw ID | grep -a … filters bytes", "--raw goes with neither lines nor filters")
	case a.json && (f.raw || f.follow):
		return usagef("hob events tells in JSON that there is output, hob poll --json reads it", "--json goes with neither --raw nor --follow")
	}
	job, err := a.oneJob(ctx, args, engine.Read, engine.Filter{}, "Whose log?")
	if err != nil {
		return err
	}
	if err := a.connectFor(ctx, job); err != nil {
		return err
	}
	stream, err := a.chooseStream(ctx, job, f.stream)
	if err != nil {
		return err
	}
	log, err := a.eng.OpenLog(ctx, job.ID, stream)
	if err != nil {
		return noLog(job, err)
	}
	defer log.Close()
	switch {
	case f.follow:
		return a.whileRead(ctx, func(ctx context.Context) error {
			if f.raw {
				return a.logBytes(ctx, job, log, true)
			}
			return a.logFollow(ctx, job, log, f, q)
		})
	case f.raw:
		return a.logBytes(ctx, job, log, false)
	case a.json:
		return a.logJSON(ctx, job, log, f, q)
	case f.offset < 0:
		return a.logTail(ctx, job, log, f, q)
	}
	return a.logFrom(ctx, job, log, f, q)
}

// query is which lines the flags select, but for --limit 0, which is none.
func (f logFlags) query() (q engine.Query, err error) {
	q = engine.Query{From: f.offset, Last: f.offset < 0, Limit: max(f.limit, 0)}
	if q.Last && f.limit < 0 {
		q.Limit = defaultLines
	}
	if q.Filter, err = pattern("--filter", f.filter); err != nil {
		return q, err
	}
	q.Exclude, err = pattern("--exclude", f.exclude)
	return q, err
}

// pattern compiles a regular expression of the command line; nil when empty.
func pattern(flag, s string) (*regexp.Regexp, error) {
	if s == "" {
		return nil, nil
	}
	re, err := regexp.Compile(s)
	if err != nil {
		return nil, usagef("it is a Go regular expression; put a backslash before signs that are meant as they are", "%s: %w", flag, err)
	}
	return re, nil
}

// noLog explains a log that is not there: the job is, and that it is not would
// mislead. Other errors stay as they are.
func noLog(job engine.Job, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return &failure{exit: exitFailed, code: "no_log", err: fmt.Errorf("the log of %s was deleted", job.ID)}
}

// chooseStream finds the stream that is asked for; of a job that keeps its
// streams apart it is stdout, with a word about stderr if there is any.
func (a *app) chooseStream(ctx context.Context, job engine.Job, asked string) (engine.Stream, error) {
	switch asked {
	case "stdout", "stderr":
		if !job.Split {
			return "", usagef("leave --stream away", "%s keeps one log for both streams", job.ID)
		}
		return engine.Stream(asked), nil
	case "":
	default:
		return "", usagef("say stdout or stderr", "no stream %q", asked)
	}
	if !job.Split {
		return engine.StreamOutput, nil
	}
	log, err := a.eng.OpenLog(ctx, job.ID, engine.StreamStderr)
	if err != nil {
		return "", err
	}
	defer log.Close()
	size, err := log.Size(ctx)
	if size > 0 {
		a.reportf("%s on stderr: hob log --stream stderr %s", units.FormatBytes(size), job.ID)
	}
	return engine.StreamStdout, err
}

// logBytes is log --raw; with on it goes on until the job ends.
func (a *app) logBytes(ctx context.Context, job engine.Job, log *engine.Log, on bool) (err error) {
	p := pipe{log: log, out: a.stdout}
	if on {
		_, err = a.eng.Follow(ctx, job.ID, a.withLinkReports(job, func(bool) error { return p.copy(ctx) }))
	} else {
		err = p.copy(ctx)
	}
	if p.dropped > 0 {
		a.reportf("%s dropped by the log's limit were skipped", units.FormatBytes(p.dropped))
	}
	return err
}

// errEnough ends following a job without being an error.
var errEnough = errors.New("enough")

// logFollow prints where the log stands and then each line as it comes.
func (a *app) logFollow(ctx context.Context, job engine.Job, log *engine.Log, f logFlags, q engine.Query) error {
	feed, err := log.Follow(ctx, q)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(a.stdout)
	left := int64(-1) // lines to print before the end; -1: all
	if f.offset >= 0 {
		left = f.limit
	}
	_, err = a.eng.Follow(ctx, job.ID, a.withLinkReports(job, func(ended bool) error {
		for line, err := range feed.Read(ctx, ended) {
			if err == nil && left == 0 {
				err = errEnough
			}
			if err != nil {
				return errors.Join(err, w.Flush())
			}
			left--
			printLine(w, line)
		}
		return w.Flush()
	}))
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}
