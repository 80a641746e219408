package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/grouplog"
	"github.com/hobjobs/hob/internal/app/project"
	"github.com/hobjobs/hob/internal/cells"
)

// manyLog prints the output of several jobs as one stream, each line with the name of its process.
type manyLog struct {
	app      *app
	follow   bool
	filter   engine.Filter
	byID     bool // the names of the jobs are not unique
	noPrefix bool
	times    bool

	out     *bufio.Writer
	colored bool
	numbers map[string]int // of the names, for their colors
	width   int            // of the longest name
	running map[engine.ID]bool

	// Of the stream of hob up; nil: of hob log.
	starting context.Context       // until it is done, further jobs may be started
	begun    func() []engine.ID    // the jobs that run, or have run, since then
	wants    func(engine.Job) bool // only some jobs of the filter
	// ended is called with the end of each job. It reports whether a job that was stopped may be started again.
	ended func(engine.Job) (mayRestart bool)
}

// prefixStyles are the colors of names. Red is that of failures.
var prefixStyles = [...]style{"36", "33", "32", "35", "34", "96", "93", "92", "95", "94"}

// printStream prints the output of jobs, or with follow until all have ended.
func (f logFlags) printStream(ctx context.Context, a *app, jobs []engine.Job, filter engine.Filter) error {
	q, err := f.query()
	if err != nil {
		return err
	}
	o := grouplog.Options{
		Filter: filter,
		Only:   q.Filter,
		Except: q.Exclude,
		Last:   int(q.Limit),
		Follow: f.follow,
	}
	if f.limit == 0 {
		o.Last = 0
	}
	m := newManyLog(a, jobs, filter, f)
	if !f.follow {
		return m.copy(ctx, o)
	}
	return a.whileRead(ctx, func(ctx context.Context) error { return m.copy(ctx, o) })
}

func newManyLog(a *app, jobs []engine.Job, filter engine.Filter, f logFlags) *manyLog {
	m := &manyLog{
		app:      a,
		follow:   f.follow,
		filter:   filter,
		noPrefix: f.noPrefix,
		times:    f.time,
		out:      bufio.NewWriter(a.stdout),
		colored:  a.colored(a.stdout),
		numbers:  map[string]int{},
		running:  map[engine.ID]bool{},
	}
	places := map[string][2]string{} // of a name: the project and the host
	for _, j := range jobs {
		m.running[j.ID] = !j.Status.Finished()
		name, at := project.ProcessOf(j), [2]string{j.Labels["project"], j.Host}
		if of, ok := places[name]; ok && of != at {
			m.byID = true
		}
		places[name] = at
	}
	for _, j := range jobs {
		m.numberOf(m.name(j))
	}
	return m
}

// name returns what the lines of a job begin with.
func (m *manyLog) name(j engine.Job) string {
	if m.byID {
		return string(j.ID)
	}
	return escape(project.ProcessOf(j))
}

// numberOf returns the number of a name, in the order in which they were first used.
func (m *manyLog) numberOf(name string) int {
	if _, ok := m.numbers[name]; !ok {
		m.numbers[name] = len(m.numbers)
		m.width = max(m.width, cells.Width(name))
	}
	return m.numbers[name]
}

// restartGap is how long a stream goes on after the last job was stopped: a restart starts the next one.
const restartGap = 3 * time.Second

// copy prints the stream. With follow it returns when no job is left.
func (m *manyLog) copy(ctx context.Context, o grouplog.Options) error {
	stream, err := grouplog.Open(ctx, m.app.eng, o)
	if err != nil {
		return err
	}
	defer stream.Close()
	return m.copyFrom(ctx, stream)
}

func (m *manyLog) copyFrom(ctx context.Context, stream *grouplog.Stream) error {
	stopped := false // the last end was requested
	for {
		entries, err := m.next(ctx, stream, stopped)
		switch {
		case errors.Is(err, io.EOF):
			return m.out.Flush()
		case err != nil:
			return errors.Join(err, m.out.Flush())
		}
		for _, e := range entries {
			if m.wants != nil && !m.wants(e.Job) {
				continue
			}
			m.running[e.Job.ID] = !e.Ended && !e.Job.Status.Finished()
			m.print(e)
			if !e.Ended {
				continue
			}
			stopped = e.Job.Exit.Reason == engine.ReasonKill
			if m.ended != nil {
				stopped = m.ended(e.Job) && stopped
			}
		}
		if err := m.out.Flush(); err != nil {
			return err
		}
	}
}

// next returns the next entries, or io.EOF if there will be none: no job is left whose output was not read, and
// none that was stopped is started again soon.
func (m *manyLog) next(ctx context.Context, stream *grouplog.Stream, stopped bool) ([]grouplog.Entry, error) {
	m.addBegun()
	if !m.follow || m.anyRunning() {
		return stream.Next(ctx)
	}
	if entries, err := stream.Ready(ctx); err != nil || len(entries) > 0 {
		return entries, err
	}
	limited, cancel := m.untilQuiet(ctx, stopped)
	defer cancel()
	entries, err := stream.Next(limited)
	switch {
	case err == nil, ctx.Err() != nil, limited.Err() == nil:
		return entries, err
	}
	if err := m.findRestarted(ctx); err != nil {
		return nil, err
	}
	m.addBegun()
	if !m.anyRunning() {
		return nil, io.EOF
	}
	return nil, nil
}

// addBegun adds the jobs that have been started, once no further ones are: the stream may not have reached them.
func (m *manyLog) addBegun() {
	if m.starting == nil || m.starting.Err() == nil || m.begun == nil {
		return
	}
	for _, id := range m.begun() {
		if _, known := m.running[id]; !known {
			m.running[id] = true
		}
	}
	m.begun = nil
}

// untilQuiet returns a context that is done when no job is expected any more, if none is left now.
func (m *manyLog) untilQuiet(ctx context.Context, stopped bool) (context.Context, context.CancelFunc) {
	limited, cancel := context.WithCancel(ctx)
	gap := time.Duration(0)
	if stopped {
		gap = restartGap
	}
	if m.starting == nil || m.starting.Err() != nil {
		cancel()
		return context.WithTimeout(ctx, gap)
	}
	stop := context.AfterFunc(m.starting, cancel)
	return limited, func() {
		stop()
		cancel()
	}
}

func (m *manyLog) anyRunning() bool {
	for _, runs := range m.running {
		if runs {
			return true
		}
	}
	return false
}

// findRestarted adds the running jobs that belong to the stream, such as those that restart its jobs.
func (m *manyLog) findRestarted(ctx context.Context) error {
	jobs, err := m.app.eng.List(ctx, engine.Filter{Running: true, Labels: m.filter.Labels})
	for _, j := range jobs {
		_, restarts := m.running[j.RestartedFrom]
		belongs := restarts || m.filter.Selects(&j)
		if m.wants != nil {
			belongs = belongs && m.wants(j)
		}
		if belongs {
			m.running[j.ID] = true
		}
	}
	return err
}

// print prints an entry of the stream.
func (m *manyLog) print(e grouplog.Entry) {
	switch {
	case m.app.json:
		m.printJSONLine(e)
	case errors.Is(e.Err, grouplog.ErrRemoved):
		m.note(e, "was removed")
	case e.Err != nil:
		m.note(e, "cannot read the log: "+noLog(e.Job, e.Err).Error())
	case e.Ended:
		m.note(e, e.Job.Ending())
	default:
		m.prefix(e)
		printLine(m.out, e.Line)
	}
}

// note reports something about a job on standard error, behind the lines before it.
func (m *manyLog) note(e grouplog.Entry, text string) {
	if m.noPrefix && e.Err == nil {
		return
	}
	_ = m.out.Flush() // its error is kept for the next line
	m.app.reportf("%s %s", m.name(e.Job), escape(text))
}

// prefix prints the time and the name at the beginning of a line.
func (m *manyLog) prefix(e grouplog.Entry) {
	if m.times {
		at := "        "
		if !e.At.IsZero() {
			at = e.At.Format(time.TimeOnly)
		}
		m.out.WriteString(paint(m.colored, at, styleDim) + " ")
	}
	if m.noPrefix {
		return
	}
	name := m.name(e.Job)
	st := prefixStyles[m.numberOf(name)%len(prefixStyles)]
	m.out.WriteString(paint(m.colored, cells.Fit(name, m.width)+" |", st) + " ")
}

// lineJSON is a line of a stream as JSON, or the end of a job.
type lineJSON struct {
	Name    string         `json:"name"`
	Job     engine.ID      `json:"job"`
	At      *time.Time     `json:"at"`      // null: not known
	Stream  *engine.Stream `json:"stream"`  // null: the entry is no line
	Text    *string        `json:"text"`    // likewise
	Dropped int64          `json:"dropped"` // bytes missing before the line
	Cut     bool           `json:"cut"`     // the line is longer
	Ended   *endJSON       `json:"ended"`   // null: the entry is no end
	Error   *string        `json:"error"`   // why the log cannot be read, or that the job was removed
}

type endJSON struct {
	Status   engine.Status `json:"status"`
	ExitCode *int          `json:"exit_code"`
	Signal   *string       `json:"signal"`
}

func (m *manyLog) printJSONLine(e grouplog.Entry) {
	v := lineJSON{Name: project.ProcessOf(e.Job), Job: e.Job.ID}
	if !e.At.IsZero() {
		v.At = &e.At
	}
	switch {
	case e.Err != nil:
		v.Error = new(noLog(e.Job, e.Err).Error())
	case e.Ended:
		v.Ended = &endJSON{Status: e.Job.Status, ExitCode: e.Job.Exit.Code}
		if e.Job.Exit.Signal != "" {
			v.Ended.Signal = &e.Job.Exit.Signal
		}
	default:
		v.Stream, v.Text = &e.Stream, &e.Line.Text
		v.Dropped, v.Cut = e.Line.Dropped+e.Skipped, e.Line.TextCut
	}
	p, err := json.Marshal(v)
	if err == nil {
		m.out.Write(append(p, '\n'))
	}
}

// ofGroup returns the jobs of a group, on all hosts, and the filter that selects them.
func ofGroup(ctx context.Context, eng *engine.Engine, group string) ([]engine.Job, engine.Filter, error) {
	filter := engine.Filter{Labels: map[string]string{"group": group}}
	jobs, err := eng.List(ctx, filter)
	if err == nil && len(jobs) == 0 {
		err = noGroup(ctx, eng, group)
	}
	slices.SortFunc(jobs, func(x, y engine.Job) int { return cmp.Compare(project.ProcessOf(x), project.ProcessOf(y)) })
	return jobs, filter, err
}

// checkStream refuses flags that a stream of lines does not have.
func (f logFlags) checkStream() error {
	switch {
	case f.raw:
		return usagef("name one job", "--raw cannot be combined with --time or several jobs")
	case f.stream != "":
		return usagef("name one job", "--stream cannot be combined with --time, --follow --json or several jobs")
	case f.offset >= 0:
		return usagef("use --limit, or name one job", "--offset cannot be combined with --time, --follow --json or several jobs")
	}
	return nil
}

// isStream reports whether the flags ask for a stream of lines, of one job or several.
func (f logFlags) isStream(jobs int, isJSON bool) bool {
	several := jobs > 1 || f.group != ""
	asLines := f.time || isJSON && f.follow
	return several || asLines
}

// printJobs prints the lines of the jobs that the arguments name, or of a group.
func (f logFlags) printJobs(ctx context.Context, a *app, args []string) error {
	if err := f.checkStream(); err != nil {
		return err
	}
	jobs, filter, err := f.jobs(ctx, a, args)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if err := a.connectFor(ctx, j); err != nil {
			return err
		}
		defer a.markSeen(j.ID)
	}
	f.noPrefix = f.noPrefix || len(jobs) == 1 && f.group == ""
	return f.printStream(ctx, a, jobs, filter)
}

// jobs returns the jobs of a stream, and the filter that selects them.
func (f logFlags) jobs(ctx context.Context, a *app, args []string) (jobs []engine.Job, filter engine.Filter, err error) {
	switch {
	case f.group != "":
		return ofGroup(ctx, a.eng, f.group)
	case len(args) > 1:
		jobs, err = a.manyJobs(ctx, args, engine.Read)
		missing, ok := errors.AsType[*failure](err)
		if ok && missing.code == "not_found" {
			missing.hint = cmp.Or(otherArgument("log", args), missing.hint)
		}
	default:
		jobs = make([]engine.Job, 1)
		jobs[0], err = a.oneJob(ctx, args, engine.Read, engine.Filter{}, "Show the log of which job?")
	}
	return jobs, engine.Filter{IDs: idsOf(jobs)}, err
}
