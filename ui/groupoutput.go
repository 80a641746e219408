package ui

import (
	"cmp"
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/grouplog"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/ui/components/logview"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// The labels of the jobs of a group. Projects in different directories may have groups of the same name.
const (
	groupLabel   = "group"
	projectLabel = "project"
	processLabel = "process"
)

// jobGroup is a group whose row is selected. The zero value is none.
type jobGroup struct{ name, project string }

// selectedGroup returns the group whose row is selected.
func (p *Pane) selectedGroup() (g jobGroup, jobs []engine.Job) {
	if p.fore.attached() != nil {
		return g, nil
	}
	name, jobs := p.list.Folded()
	if name == "" {
		return g, nil
	}
	return jobGroup{name, jobs[0].Labels[projectLabel]}, jobs
}

func (g jobGroup) has(j engine.Job) bool {
	return g == jobGroup{j.Labels[groupLabel], j.Labels[projectLabel]}
}

// within returns a filter that selects only the jobs of f that belong to the group.
func (g jobGroup) within(f engine.Filter) engine.Filter {
	f.Labels = withLabels(f.Labels, g.labels())
	return f
}

// labels returns the labels of the group's jobs.
func (g jobGroup) labels() map[string]string {
	labels := map[string]string{groupLabel: g.name}
	if g.project != "" {
		labels[projectLabel] = g.project
	}
	return labels
}

const (
	// groupLast is the number of existing lines that the output of a group begins with.
	groupLast = 1000
	// groupBehind limits by how many bytes the reader may be behind the end of a log: the rest is skipped.
	groupBehind = 1 << 20
	// groupPace is the minimum time between two reads, each of which returns a few hundred lines at most.
	groupPace = 33 * time.Millisecond
)

// groupOutput is the merged output of the jobs of a group. The log pane shows it while the row of the group
// is selected; otherwise nothing is open. One command at a time waits for lines, and Update adds them to the log.
// While the user has scrolled up, it stops reading rather than dropping what is on screen.
type groupOutput struct {
	*labels
	tasks *tasks
	log   *logview.Model

	of      jobGroup
	logs    int  // number of jobs
	visible bool // the log pane is shown

	number int                // changes with what is shown; results for an earlier number are dropped
	end    context.CancelFunc // ends the commands of what is shown
	stream groupStream        // nil: being opened
	busy   bool               // a command waits for lines, or for the time to read again
	opened time.Time
	lines  *logview.Merged
	old    int // number of lines that are older than the stream
	failed error

	names map[string]int // numbers of the processes, for their colors
	width int            // of the longest name

	times     bool // whether lines begin with their times when a group is shown
	jobsTimes bool // the same for the log of one job
}

// groupStream is a [grouplog.Stream] that may be closed while it is read.
type groupStream interface {
	Next(ctx context.Context) ([]grouplog.Entry, error)
	Close() error
}

// shown reports whether the output of a group is shown.
func (g *groupOutput) shown() bool { return g.of != jobGroup{} }

// show shows the output of a group.
func (g *groupOutput) show(of jobGroup, jobs []engine.Job) tea.Cmd {
	g.of, g.logs = of, len(jobs)
	g.names, g.width = map[string]int{}, 0
	for _, j := range jobs {
		g.numberOf(nameOf(j))
	}
	g.jobsTimes = g.log.Timestamps()
	g.log.SetTimestamps(g.times)
	return g.open()
}

// close closes what is open.
func (g *groupOutput) close() tea.Cmd {
	if !g.shown() {
		return nil
	}
	g.of = jobGroup{}
	g.times = g.log.Timestamps()
	g.log.SetTimestamps(g.jobsTimes)
	return g.release()
}

func (g *groupOutput) release() tea.Cmd {
	g.number++
	g.end()
	stream := g.stream
	g.stream, g.lines = nil, nil
	if stream == nil {
		return nil
	}
	return g.tasks.release(stream)
}

// open opens the stream and shows its lines.
func (g *groupOutput) open() tea.Cmd {
	g.number++
	g.lines, g.old, g.failed, g.busy = &logview.Merged{}, 0, nil, false
	ctx, end := context.WithCancel(g.tasks.ctx)
	g.end = end
	t, number, clock := g.tasks, g.number, g.opts.clock
	o := grouplog.Options{
		Filter: g.of.within(g.opts.filter),
		Last:   groupLast,
		Follow: true,
		Behind: groupBehind,
	}
	g.log.SetEmpty("No output yet.")
	shown := t.route(g.log.SetSource(g.lines, !g.opts.log.Stay))
	return tea.Batch(shown, t.async(func(context.Context) func() tea.Cmd {
		opened := clock()
		stream, err := t.eng.OpenGroup(ctx, o)
		if err == nil && !t.open.keep(stream) {
			return nil
		}
		return func() tea.Cmd {
			switch outdated := number != g.number; {
			case err != nil && outdated:
				return nil
			case err != nil:
				return g.fail(err)
			case outdated:
				return t.release(stream)
			}
			g.stream, g.opened = stream, opened
			return g.next()
		}
	}))
}

// next waits for lines, unless reading is paused.
func (g *groupOutput) next() tea.Cmd {
	switch {
	case g.busy, g.stream == nil, g.held():
		return nil
	}
	g.busy = true
	stream, number := g.stream, g.number
	return g.tasks.async(func(ctx context.Context) func() tea.Cmd {
		entries, err := stream.Next(ctx)
		return func() tea.Cmd {
			if number != g.number {
				return nil
			}
			return g.got(entries, err)
		}
	})
}

// held reports whether reading is paused: the log is not visible, or new lines would replace those that the user
// has scrolled to.
func (g *groupOutput) held() bool {
	switch {
	case !g.visible:
		return true
	case g.log.Following():
		return false
	}
	_, room := g.lines.Whole()
	return !room
}

// got adds lines. Between reads of new lines it pauses for groupPace; existing lines are read without a pause.
func (g *groupOutput) got(entries []grouplog.Entry, err error) tea.Cmd {
	if err != nil {
		return g.fail(err)
	}
	before := g.old
	for _, e := range entries {
		if e.At.Before(g.opened) {
			g.old++
		}
		if g.of.has(e.Job) {
			g.lines.Add(g.linesOf(e)...)
		}
	}
	grown := g.tasks.route(g.log.Grown())
	if g.old > before {
		g.busy = false
		return tea.Batch(grown, g.next())
	}
	number := g.number
	return tea.Batch(grown, g.tasks.after(groupPace, func() tea.Cmd {
		if number != g.number {
			return nil
		}
		g.busy = false
		return g.next()
	}))
}

// fail shows why the stream ended, and opens it again after a while.
func (g *groupOutput) fail(err error) tea.Cmd {
	closed := g.release()
	if isAny(err, context.Canceled, engine.ErrClosed) {
		return closed
	}
	g.failed = err
	g.log.SetEmpty("Can't read the logs: " + hint(err))
	number := g.number
	return tea.Batch(closed, g.tasks.after(retryAfter, func() tea.Cmd {
		if number != g.number {
			return nil
		}
		return g.open()
	}))
}

// nameOf returns the name of the process that a job runs.
func nameOf(j engine.Job) string { return cmp.Or(j.Labels[processLabel], j.Name) }

// numberOf returns the number of a name, which selects its color. The first names get theirs in the order of the list.
func (g *groupOutput) numberOf(name string) int {
	n, ok := g.names[name]
	if !ok {
		n = len(g.names)
		g.names[name] = n
		g.width = max(g.width, cells.Width(g.shortened(name)))
	}
	return n
}

// mostName is the maximum width of a name before a line.
const mostName = 16

func (g *groupOutput) shortened(name string) string {
	return cells.Name(cells.Clean(name), mostName, g.opts.glyphs.Ellipsis)
}

// linesOf returns the lines that are shown for an entry.
func (g *groupOutput) linesOf(e grouplog.Entry) (lines []logview.MergedLine) {
	name := nameOf(e.Job)
	label := logview.Label{Number: g.numberOf(name)}
	label.Text = cells.Fit(g.shortened(name), g.width+2)
	remark := func(tone logview.Tone, text string) {
		line := logview.MergedLine{Label: label, At: e.At}
		line.Label.Tone, line.Line.Text, line.Line.Raw = tone, text, []byte(text)
		lines = append(lines, line)
	}
	if e.Skipped > 0 {
		remark(logview.ToneQuiet, g.opts.glyphs.Ellipsis+" "+units.FormatBytes(e.Skipped)+" more in its log")
	}
	switch {
	case errors.Is(e.Err, grouplog.ErrRemoved):
		remark(logview.ToneQuiet, "removed")
	case e.Err != nil:
		remark(logview.ToneFailed, "Can't read the log: "+hint(e.Err))
	case e.Ended:
		tone, text := logview.ToneQuiet, statusbadge.Text(g.styles, e.Job)
		if e.Job.Unsuccessful() {
			tone = logview.ToneFailed
		}
		if ran := e.Job.Uptime(e.Job.Exit.At); ran > 0 {
			text += " after " + units.FormatDuration(ran)
		}
		remark(tone, text)
	default:
		lines = append(lines, logview.MergedLine{Label: label, At: e.At, Line: e.Line})
	}
	return lines
}

// state returns the text of the border about whether the lines are followed.
func (g *groupOutput) state() string {
	if g.stream == nil || !g.log.Following() {
		return ""
	}
	return "following"
}

// pauses reports whether reading is paused, see held.
func (g *groupOutput) pauses() bool { return g.stream != nil && g.held() }

// extent returns the text of the border about the number of logs, and about earlier lines that are missing.
func (g *groupOutput) extent() string {
	text := units.Count(g.logs, "log")
	if g.lines == nil {
		return text
	}
	if whole, _ := g.lines.Whole(); !whole || g.old >= groupLast {
		return g.dotted(text, "last lines")
	}
	return text
}

// title returns the title of the log of the group.
func (g *groupOutput) title() string { return cells.Clean(g.of.name) + ": all output" }
