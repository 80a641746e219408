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
	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/internal/units"
)

// defaultLines is the number of lines shown without --limit and --offset.
const defaultLines = 200

type logFlags struct {
	limit, offset   int64
	follow, raw     bool
	filter, exclude string
	stream          string

	group          string
	time, noPrefix bool
}

func (a *app) logCommand() *cobra.Command {
	f := logFlags{limit: notGiven, offset: notGiven}
	cmd := &cobra.Command{
		Use:     "log [ID…]",
		Aliases: []string{"logs"},
		GroupID: groupInspect,
		Short:   "Show the output of jobs",
		Long: "Print a job's output as lines, without escape sequences: the last 200 by default.\n" +
			"--filter and --exclude apply before --limit. Without ID, choose a job from a list.\n\n" +
			"The lines of several jobs are printed in the order in which they were written, each with the\n" +
			"name of its job. After a restart, --follow continues with the new job; with --group, also with\n" +
			"jobs that start later. --follow --json prints one object for each line.",
		Example: "hob log --follow @\nhob log --filter 'error|warn' --limit 20 make-test\n" +
			"hob log --follow --time web worker\nhob log --group shop\nhob log --raw @ | less -R",
		ValidArgsFunction: a.completeJobs(engine.Filter{}, true),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.log(cmd.Context(), args, f)
		},
	}
	flags := cmd.Flags()
	flags.VarP(countFlag(&f.limit), "limit", "n", "number of lines (from the end, or from --offset)")
	flags.Var(countFlag(&f.offset), "offset", "first line, counting from 0")
	flags.BoolVarP(&f.follow, "follow", "f", false, "also print new output, until all these jobs have ended")
	flags.Var(nonEmptyFlag(&f.group, "GROUP"), "group", "show the jobs of this group")
	completeGroups(a, cmd)
	flags.BoolVar(&f.time, "time", false, "print the time of each line")
	flags.BoolVar(&f.noPrefix, "no-prefix", false, "with several jobs: do not print their names")
	flags.Var(textFlag(&f.filter, "REGEX"), "filter", "only lines that match this regular expression")
	flags.Var(textFlag(&f.exclude, "REGEX"), "exclude", "omit lines that match this regular expression")
	flags.BoolVar(&f.raw, "raw", false, "print the raw bytes, with escape sequences")
	flags.Var(textFlag(&f.stream, "STREAM"), "stream", "stdout or stderr (jobs run with --split)")
	completeValues(cmd, "stream", "stdout", "stderr")
	a.jsonFlag(cmd)
	return cmd
}

// filters reports whether only some lines are wanted, by their text.
func (f logFlags) filters() bool { return f.filter != "" || f.exclude != "" }

// pages reports whether only some lines are wanted, by their number.
func (f logFlags) pages() bool { return f.limit >= 0 || f.offset >= 0 }

// query returns the lines that the flags select. It cannot express --limit 0, no lines.
func (f logFlags) query() (q joblog.Query, err error) {
	q = joblog.Query{
		From:  f.offset,
		Last:  f.offset < 0,
		Limit: max(f.limit, 0),
	}
	if q.Last && f.limit < 0 {
		q.Limit = defaultLines
	}
	if q.Filter, err = pattern("--filter", f.filter); err != nil {
		return q, err
	}
	q.Exclude, err = pattern("--exclude", f.exclude)
	return q, err
}

// pattern compiles the regular expression of a flag. It returns nil for "".
func pattern(flag, s string) (*regexp.Regexp, error) {
	if s == "" {
		return nil, nil
	}
	re, err := regexp.Compile(s)
	if err != nil {
		return nil, usagef(`patterns use Go regexp syntax; escape special characters with \`, "%s: %w", flag, err)
	}
	return re, nil
}

func (a *app) log(ctx context.Context, args []string, f logFlags) error {
	q, err := f.query()
	if err != nil {
		return err
	}
	switch {
	case f.raw && (f.filters() || f.pages()):
		return usagef("filter the raw bytes with: hob log --raw ID | grep -a …", "--raw cannot be combined with --filter, --exclude, --limit or --offset")
	case a.json && f.raw:
		return usagef("remove one of them", "--json cannot be combined with --raw")
	case f.group != "" && len(args) > 0:
		return usagef("use two commands", "IDs cannot be combined with --group")
	}
	if f.isStream(len(args), a.json) {
		return f.printJobs(ctx, a, args)
	}
	job, err := a.oneJob(ctx, args, engine.Read, engine.Filter{}, "Show the log of which job?")
	if err != nil {
		return err
	}
	if err := a.connectFor(ctx, job); err != nil {
		return err
	}
	defer a.markSeen(job.ID)
	stream, err := a.chooseStream(ctx, job, f.stream)
	if err != nil {
		return err
	}
	log, err := a.eng.Handle(job.ID).Log(ctx, stream)
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

// noLog replaces the error of a missing log: the job exists, so "no such job" would be
// wrong. Other errors are returned as they are.
func noLog(job engine.Job, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return &failure{exit: exitFailed, code: "no_log", err: fmt.Errorf("the log of %s was deleted", job.ID)}
}

// chooseStream returns the stream to read. The default of a job with separate streams is
// stdout; if there is output on stderr, chooseStream reports that.
func (a *app) chooseStream(ctx context.Context, job engine.Job, name string) (engine.Stream, error) {
	switch name {
	case "stdout", "stderr":
		if !job.Split {
			return "", usagef("remove --stream", "%s has one log for both streams", job.ID)
		}
		return engine.Stream(name), nil
	case "":
	default:
		return "", usagef("use stdout or stderr", "unknown stream %q", name)
	}
	if !job.Split {
		return engine.StreamOutput, nil
	}
	log, err := a.eng.Handle(job.ID).Log(ctx, engine.StreamStderr)
	if err != nil {
		return "", err
	}
	defer log.Close()
	size, err := log.Size(ctx)
	if size > 0 {
		a.reportf("%s on stderr. See: hob log --stream stderr %s", units.FormatBytes(size), job.ID)
	}
	return engine.StreamStdout, err
}

// logBytes prints the raw log. With follow it returns when the job has ended.
func (a *app) logBytes(ctx context.Context, job engine.Job, log *joblog.Log, follow bool) (err error) {
	p := pipe{log: log, out: a.stdout}
	if follow {
		_, err = a.eng.Handle(job.ID).WaitFor(ctx, engine.Condition{Look: a.reporting(job, func(engine.Job) error { return p.copy(ctx) })})
	} else {
		err = p.copy(ctx)
	}
	if p.dropped > 0 {
		a.reportf("skipped %s dropped by the log limit", units.FormatBytes(p.dropped))
	}
	return err
}

// errEnough stops following a job when --limit is reached.
var errEnough = errors.New("enough")

// logFollow prints the selected lines, then each new line.
func (a *app) logFollow(ctx context.Context, job engine.Job, log *joblog.Log, f logFlags, q joblog.Query) error {
	feed, err := log.Follow(ctx, q)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(a.stdout)
	left := int64(-1) // lines still to print; -1: no limit
	if f.offset >= 0 {
		left = f.limit
	}
	_, err = a.eng.Handle(job.ID).WaitFor(ctx, engine.Condition{Look: a.reporting(job, func(now engine.Job) error {
		for line, err := range feed.Read(ctx, now.Status.Finished()) {
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
	})})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

type logJSON struct {
	Job        engine.Job `json:"job"`
	Lines      []string   `json:"lines"`
	Offset     int64      `json:"offset"`
	TotalLines int64      `json:"total_lines"`
	Truncated  bool       `json:"truncated"`
}

func (a *app) logJSON(ctx context.Context, job engine.Job, log *joblog.Log, f logFlags, q joblog.Query) error {
	total, err := log.CountLines(ctx)
	if err != nil {
		return err
	}
	q.Numbers = true
	lines, more, err := window(ctx, log, f, q)
	if err != nil {
		return err
	}
	if q.Filter == nil && q.Exclude == nil {
		more = int64(len(lines)) < total
	}
	v := logJSON{
		Job:        job,
		Lines:      []string{},
		Offset:     total,
		TotalLines: total,
		Truncated:  more,
	}
	for i, l := range lines {
		if i == 0 {
			v.Offset = max(l.Number, 0)
		}
		v.Lines = append(v.Lines, l.Text)
		v.Truncated = v.Truncated || l.TextCut || l.Dropped > 0
	}
	return a.printJSON(v)
}

// window collects the lines that q selects. more reports whether --limit cut any off.
func window(ctx context.Context, log *joblog.Log, f logFlags, q joblog.Query) (lines []joblog.Line, more bool, err error) {
	limit := q.Limit
	bounded := limit > 0 || f.limit == 0
	if bounded {
		q.Limit++
	}
	for line, err := range log.Lines(ctx, q) {
		if err != nil {
			return nil, false, err
		}
		lines = append(lines, line)
	}
	switch {
	case !bounded, int64(len(lines)) <= limit:
		return lines, false, nil
	case !q.Last, limit == 0:
		return lines[:limit], true, nil
	}
	lines = lines[1:]
	lines[0].Dropped = 0 // the gap is before the window
	return lines, true, nil
}

func (a *app) logTail(ctx context.Context, job engine.Job, log *joblog.Log, f logFlags, q joblog.Query) error {
	lines, more, err := window(ctx, log, f, q)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(a.stdout)
	for _, l := range lines {
		printLine(out, l)
	}
	if err := out.Flush(); err != nil || !more || f.limit >= 0 {
		return err
	}
	total, err := log.CountLines(ctx)
	if err != nil {
		return err
	}
	a.reportf("Showing the last %d of %d lines. From the start: hob log --offset 0 %s", len(lines), total, job.ID)
	return nil
}

// logFrom prints lines from --offset on, each as it is read.
func (a *app) logFrom(ctx context.Context, job engine.Job, log *joblog.Log, f logFlags, q joblog.Query) error {
	if f.limit == 0 {
		return nil
	}
	out := bufio.NewWriter(a.stdout)
	printed := false
	for line, err := range log.Lines(ctx, q) {
		if err != nil {
			return errors.Join(err, out.Flush())
		}
		printed = true
		printLine(out, line)
	}
	if err := out.Flush(); err != nil || printed || f.offset == 0 {
		return err
	}
	total, err := log.CountLines(ctx)
	if err != nil || f.offset < total {
		return err
	}
	soFar := " so far"
	if job.Status.Finished() {
		soFar = ""
	}
	a.reportf("--offset %d is past the end of the log (%s%s)", f.offset, units.Count(int(total), "line"), soFar)
	return nil
}

// printLine writes one line of a log, after a note about bytes missing before it.
func printLine(w *bufio.Writer, l joblog.Line) {
	if l.Dropped > 0 {
		fmt.Fprintf(w, "[… %s dropped …]\n", units.FormatBytes(l.Dropped))
	}
	w.WriteString(l.Text)
	if l.TextCut {
		w.WriteString(" […]")
	}
	w.WriteByte('\n')
}
