package ui

import (
	"maps"
	"math/bits"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/joblist"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// job is a job with what the pane remembers about it.
type job struct {
	engine.Job
	unread int
	fresh  int64 // bytes since the last tick
	trace  [joblist.TraceLength]uint8
	usage  usage
	// why is one sentence about how a job failed; empty until asked is set and the answer came.
	why   string
	asked bool
}

func (p *Pane) handleEvents(events []engine.Event, now time.Time) tea.Cmd {
	p.now = now
	p.events.trouble = ""
	if !p.events.known {
		return p.snapshot(events)
	}
	var cmds []tea.Cmd
	for _, e := range events {
		cmds = append(cmds, p.event(e))
	}
	return tea.Batch(append(cmds, p.settled(), p.tick())...)
}

// snapshot handles the first batch of a subscription, with the state of all jobs. After a lost
// subscription, it also shows which jobs have been removed.
func (p *Pane) snapshot(events []engine.Event) tea.Cmd {
	p.events.known = true
	there := map[engine.ID]bool{}
	for _, e := range events {
		there[e.Job.ID] = true
		p.put(e.Job, true)
	}
	for id := range p.jobs {
		if !there[id] {
			p.drop(id)
		}
	}
	var over tea.Cmd
	if a := p.fore.attached(); a != nil && !a.reported {
		if j, ok := p.jobs[a.id]; ok && j.Status.Finished() { // not a new end
			over = p.ended(j)
		}
	}
	return tea.Batch(over, p.settled(), p.tick())
}

func (p *Pane) event(e engine.Event) tea.Cmd {
	id := e.Job.ID
	if e.Kind == engine.EventRemoved {
		p.drop(id)
		return nil
	}
	if !p.opts.filter.Selects(&e.Job) { // it no longer matches the filter
		defer p.drop(id)
	}
	old, had := p.jobs[id]
	was := engine.Job{}
	if had {
		was = old.Job
	}
	p.put(e.Job, e.Kind != engine.EventOutput)
	j := p.jobs[id]
	p.guardLine()
	var cmds []tea.Cmd
	if line := p.sendingTo(id); line != nil && e.Kind == engine.EventOutput {
		cmds = append(cmds, p.askEntry(line)) // it may ask for something else now
	}

	if id == p.shown.id {
		if j.Alternate {
			p.shown.drew = true
		}
		ended := j.Status.Finished() && !was.Status.Finished()
		fullScreen := p.shown.drew && !p.shown.raw
		if ended && fullScreen && p.log.Following() { // show what it left on screen instead of the log
			cmds = append(cmds, p.closeLog(), p.openLog())
		}
		if was.Alternate && !j.Alternate && !ended {
			p.shown.raw = false // show the next full-screen program again
		}
	}
	mayGrow := e.Kind == engine.EventOutput || j.Status.Finished()
	if id == p.shown.id && p.shown.log != nil && mayGrow {
		p.behind = true
		cmds = append(cmds, p.catchUp())
	}
	switch {
	case e.Kind == engine.EventExited, e.Kind == engine.EventLost:
		_, again := p.gone[id]
		endsNow, justEnded := had && !was.Status.Finished(), !again && p.now.Sub(j.Exit.At) < justNow
		if endsNow || justEnded {
			cmds = append(cmds, p.ended(j))
		}
	case e.Kind == engine.EventLink && j.Link == engine.LinkOK:
		p.notices.DropKey(connectKey(j.Host))
	case e.Kind == engine.EventAttention:
		why := WhyNote
		if e.Note == (engine.Note{}) {
			why = WhyBell
		}
		cmds = append(cmds, p.attention(j, why, e.Note))
	case j.Waiting && !was.Waiting && had:
		cmds = append(cmds, p.attention(j, WhyWaiting, engine.Note{}))
	}
	return tea.Batch(cmds...)
}

// logShown reports whether the log of the shown job is on screen, and may grow.
func (p *Pane) logShown() bool {
	if p.fore.terminal() != nil {
		return false
	}
	return !p.lay.log.empty() && !p.screenShown() && !p.shown.last
}

// catchUp lets the log read new output if it is visible.
func (p *Pane) catchUp() tea.Cmd {
	_, ok := p.jobs[p.shown.id]
	if !p.behind || !ok || !p.logShown() {
		return nil
	}
	p.behind = false
	return p.tasks.route(p.log.Grown())
}

// justNow distinguishes a job that came and ended between two batches from an old one that was
// restored from the trash. A job that is cleared and restored sooner is remembered in gone.
const justNow = 10 * time.Second

// put stores the current state of a job; row is whether to update its row in the list.
func (p *Pane) put(j engine.Job, row bool) {
	known, ok := p.jobs[j.ID]
	if !ok {
		known = &job{}
		p.jobs[j.ID] = known
	}
	if ok && j.Output > known.Output {
		known.fresh += j.Output - known.Output
	}
	switch {
	case known.Seen: // this pane may have marked it in the meantime
		j.Seen = true
	case j.Seen: // in another program
		known.unread = 0
	}
	known.Job, p.cachedCounts = j, nil
	known.sample(p.now)
	if j.CPU != nil {
		p.measured = true
	}
	if row || !ok {
		p.putRow(known)
	}
	if j.ID == p.shown.id {
		p.showFacts(known)
	}
}

// showFacts updates the detail with the facts of a job, and with its usage unless motion is
// reduced.
func (p *Pane) showFacts(j *job) {
	p.detail.SetJob(j.Job)
	p.detail.SetWhy(j.why)
	p.detail.SetRestarting(p.restarts.stopping(j.ID))
	if !p.opts.calm {
		p.detail.SetUsage(p.samplesOf(j), sampleEvery)
	}
}

func (p *Pane) putRow(j *job) {
	p.list.Put(joblist.Row{Job: j.Job, Unread: j.unread, Trace: j.trace})
}

func (p *Pane) drop(id engine.ID) {
	if j, ok := p.jobs[id]; ok && j.Status.Finished() {
		p.gone[id] = j.Exit.At
		maps.DeleteFunc(p.gone, func(_ engine.ID, at time.Time) bool { return p.now.Sub(at) >= justNow })
	}
	delete(p.jobs, id)
	delete(p.history.unsent, id)
	p.cachedCounts = nil
	p.list.Drop(id)
}

// settled follows changes of the list: another job may be selected, and the detail may need
// another height.
func (p *Pane) settled() tea.Cmd {
	if _, there := p.jobs[p.selectNext]; there {
		if !p.list.Select(p.selectNext) { // a requested job must not be hidden by a filter
			p.list.SetFilter("")
			p.list.Select(p.selectNext)
		}
		p.selectNext = ""
	}
	cmd := tea.Batch(p.show(), p.updatePreview())
	if p.detail.Lines() != p.laid || p.fore.attached() == nil && p.nothing() != p.lay.alone {
		cmd = tea.Batch(cmd, p.arrange())
	}
	return cmd
}

// advance moves the trace of output by one tick, and reports whether that is visible.
func (j *job) advance() bool {
	if j.fresh == 0 && j.trace == [joblist.TraceLength]uint8{} {
		return false
	}
	copy(j.trace[:], j.trace[1:])
	j.trace[len(j.trace)-1] = level(j.fresh)
	j.fresh = 0
	return true
}

// level converts bytes per tick to eighths on a logarithmic scale, from a line to a megabyte.
func level(n int64) uint8 {
	if n <= 0 {
		return 0
	}
	return uint8(max(1, min(8, (bits.Len64(uint64(n))-3)/2)))
}

// Counts are numbers of jobs by state.
type Counts struct {
	statusbadge.Counts
	UnseenDone int // those of Done that succeeded while not on screen
}

// Counts returns the numbers of the jobs of the pane.
func (p *Pane) Counts() Counts {
	if p.cachedCounts != nil {
		return *p.cachedCounts
	}
	var c Counts
	for _, j := range p.jobs {
		done := c.Done
		c.Add(j.Job)
		c.UnseenDone += min(j.unread, c.Done-done) // 1 at most
	}
	p.cachedCounts = &c
	return c
}

// Running returns the number of jobs that keep running after the pane is closed.
func (p *Pane) Running() int {
	c := p.Counts()
	return c.Running + c.Queued
}
