package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

// defaultLines is how many lines are shown to who asks for none in particular.
const defaultLines = 200

type logFlags struct {
	limit, offset   int64 // -1: not given
	follow, raw     bool
	filter, exclude string
	stream          string
}

func (a *app) logCommand() *cobra.Command {
	f := logFlags{limit: -1, offset: -1}
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
	flags.VarP((*countFlag)(&f.limit), "limit", "n", "that many lines: the last, or from --offset on")
	flags.Var((*countFlag)(&f.offset), "offset", "from this line on, counted from 0")
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
	filter, err := newLineFilter(f.filter, f.exclude)
	if err != nil {
		return err
	}
	switch {
	case f.raw && (filter.active() || f.limit >= 0 || f.offset >= 0):
		return usagef("hob log --raw ID | grep -a … filters bytes", "--raw goes with neither lines nor filters")
	case a.json && (f.raw || f.follow):
		return usagef("hob events tells in JSON that there is output, hob poll --json reads it", "--json goes with neither --raw nor --follow")
	}
	eng, err := a.engine()
	if err != nil {
		return err
	}
	job, err := a.oneJob(ctx, args, engine.Read, engine.Filter{}, "Whose log?")
	if err != nil {
		return err
	}
	if err := a.connectFor(ctx, job); err != nil {
		return err
	}
	stream, err := a.chooseStream(ctx, eng, job, f.stream)
	if err != nil {
		return err
	}
	log, err := eng.OpenLog(ctx, job.ID, stream)
	if err != nil {
		return noLog(job, err)
	}
	defer log.Close()
	if f.follow {
		return a.whileRead(ctx, func(ctx context.Context) error {
			if f.raw {
				return a.logBytes(ctx, eng, job, log, true)
			}
			return a.logFollow(ctx, eng, job, log, f, filter)
		})
	}
	if f.raw {
		return a.logBytes(ctx, eng, job, log, false)
	}
	return a.logWindow(ctx, job, log, f, filter)
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
func (a *app) chooseStream(ctx context.Context, eng *engine.Engine, job engine.Job, asked string) (engine.Stream, error) {
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
	log, err := eng.OpenLog(ctx, job.ID, engine.StreamStderr)
	if err != nil {
		return "", err
	}
	defer log.Close()
	size, err := log.Size(ctx)
	if size > 0 {
		a.sayf("%s on stderr: hob log --stream stderr %s", units.FormatBytes(size), job.ID)
	}
	return engine.StreamStdout, err
}

// logBytes is log --raw, which goes on until the job ends or stops at the log's end.
func (a *app) logBytes(ctx context.Context, eng *engine.Engine, job engine.Job, log *engine.Log, on bool) (err error) {
	feed := byteFeed{log: log}
	if on {
		_, err = follow(ctx, eng, job, a.tellingLink(job, func(bool) error { return feed.copyTo(ctx, a.stdout) }))
	} else {
		err = feed.copyTo(ctx, a.stdout)
	}
	if feed.dropped > 0 {
		a.sayf("%s dropped by the log's limit were skipped", units.FormatBytes(feed.dropped))
	}
	return err
}

// logFollow prints where the log stands and then each line as it comes.
func (a *app) logFollow(ctx context.Context, eng *engine.Engine, job engine.Job, log *engine.Log, f logFlags, filter lineFilter) error {
	w := bufio.NewWriter(a.stdout)
	start, skip, err := a.followStart(ctx, log, f, filter)
	if err != nil {
		return err
	}
	feed := lineFeed{log: log, next: start}
	left := int64(-1) // lines to print before the end; -1: all
	if f.offset >= 0 {
		left = f.limit
	}
	_, err = follow(ctx, eng, job, a.tellingLink(job, func(ended bool) error {
		_, err := feed.read(ctx, ended, func(l engine.Line) error {
			if skip--; skip >= 0 || !filter.keeps(l.Text) {
				return nil
			}
			if left == 0 {
				return errEnough
			}
			left--
			printLine(w, l)
			return nil
		})
		return errors.Join(err, w.Flush())
	}))
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// followStart is the offset from which --follow reads, and how many lines from there
// on it does not show: those before --offset that are not there yet.
func (a *app) followStart(ctx context.Context, log *engine.Log, f logFlags, filter lineFilter) (start, skip int64, err error) {
	limit := f.limit
	if limit < 0 {
		limit = defaultLines
	}
	var lines []engine.Line
	switch {
	case f.offset >= 0:
		return startAt(ctx, log, f.offset)
	case filter.active():
		var w window
		w, err = filtered(ctx, log, logFlags{limit: limit, offset: -1}, filter)
		lines = w.lines
	case limit > 0:
		lines, err = log.Tail(ctx, int(limit))
	}
	if err != nil {
		return 0, 0, err
	}
	if len(lines) == 0 {
		start, err = log.Size(ctx)
		return start, 0, err
	}
	return lines[0].Start, 0, nil
}

// startAt is where the line number n begins. If that is not there yet it is where the
// last line begins, and how many lines from that on come before n.
func startAt(ctx context.Context, log *engine.Log, n int64) (start, before int64, err error) {
	for {
		lines, err := log.LinesFrom(ctx, n, 1)
		if err != nil {
			return 0, 0, err
		}
		if len(lines) > 0 {
			return lines[0].Start, 0, nil
		}
		last, err := log.Tail(ctx, 1)
		if err != nil || len(last) == 0 {
			return 0, n, err
		}
		number, err := log.LineNumber(ctx, last[0].Start)
		if err != nil || number <= n {
			return last[0].Start, n - number, err
		}
		// It has come since.
	}
}

// printLine writes one line of a log, after a line about what is missing before
// it.
func printLine(w *bufio.Writer, l engine.Line) {
	if l.Dropped > 0 {
		fmt.Fprintf(w, "[… %s dropped …]\n", units.FormatBytes(l.Dropped))
	}
	w.WriteString(l.Text)
	if l.TextCut {
		w.WriteString(" […]")
	}
	w.WriteByte('\n')
}
