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

// job is a job and what the pane remembers of it.
type job struct {
	engine.Job
	unread int
	fresh  int64 // bytes written since the last tick
	trace  []uint8
}

const traceLength = 8

// took takes a batch of the engine's facts.
func (p *Pane) took(msg eventsMsg) tea.Cmd {
	p.now = msg.now
	seen := p.trouble != "" || p.visible(msg.events)
	p.dirty = p.dirty || !p.known || seen
	p.trouble = ""
	if !p.known {
		return p.snapshot(msg.events)
	}
	var cmds []tea.Cmd
	for _, e := range msg.events {
		cmds = append(cmds, p.event(e))
	}
	if seen {
		cmds = append(cmds, p.settled())
	}
	return tea.Batch(append(cmds, p.tick())...)
}

// visible reports whether facts change what is on the screen. That output of a
// job grew is seen only in its log; in the list it waits for the next tick.
func (p *Pane) visible(events []engine.Event) bool {
	for _, e := range events {
		if e.Kind != engine.EventOutput || e.Job.ID == p.shown.id && (p.attachment == nil || p.attachment.viaLog) {
			return true
		}
	}
	return false
}

// snapshot takes the first batch after subscribing: how all jobs stand. After a
// lost subscription it also tells which have gone.
func (p *Pane) snapshot(events []engine.Event) tea.Cmd {
	p.known = true
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
	if a := p.attachment; a != nil && !a.told {
		if j, ok := p.jobs[a.id]; ok && j.Status.Finished() { // before anybody looked
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
		p.shown.drew = p.shown.drew || j.Alternate
		ended := j.Status.Finished() && !was.Status.Finished()
		if ended && p.shown.drew && !p.shown.raw && p.log.Following() { // what it left takes the place of the log
			cmds = append(cmds, p.closeLog(), p.openLog())
		}
		if was.Alternate && !j.Alternate && !ended {
			p.shown.raw = false // the next program that draws is shown again
		}
	}
	if id == p.shown.id && p.shown.log != nil && (e.Kind == engine.EventOutput || j.Status.Finished()) {
		p.behind = true
		cmds = append(cmds, p.catchUp())
	}
	switch {
	case e.Kind == engine.EventExited || e.Kind == engine.EventLost:
		_, again := p.gone[id]
		if had && !was.Status.Finished() || !again && p.now.Sub(j.Exit.At) < justNow {
			cmds = append(cmds, p.ended(j))
		}
	case e.Kind == engine.EventAttention:
		cmds = append(cmds, p.attention(j, noteWhy(e.Note), e.Note))
	case j.Waiting && !was.Waiting && had:
		cmds = append(cmds, p.attention(j, WhyWaiting, engine.Note{}))
	}
	return tea.Batch(cmds...)
}

// catchUp lets the log read on, if it can be seen.
func (p *Pane) catchUp() tea.Cmd {
	hidden := p.lay.log.empty() || p.attachment != nil && !p.attachment.viaLog || p.screenShown() || p.shown.last
	j, ok := p.jobs[p.shown.id]
	if !p.behind || hidden || !ok {
		return nil
	}
	p.behind = false
	return p.route(p.log.Grown(j.Output))
}

// justNow tells the end of a job that came and went between two batches from
// that of an old one which was taken back from the trash. One that is cleared and
// taken back sooner is remembered in gone.
const justNow = 10 * time.Second

func noteWhy(n engine.Note) Why {
	if n == (engine.Note{}) {
		return WhyBell
	}
	return WhyNote
}

// put takes a job as it stands now; row says whether its row shows the change.
func (p *Pane) put(j engine.Job, row bool) {
	known, ok := p.jobs[j.ID]
	if !ok {
		known = &job{}
		p.jobs[j.ID] = known
	}
	if ok && j.Output > known.Output {
		known.fresh += j.Output - known.Output
	}
	known.Job, p.tally = j, nil
	if row || !ok {
		p.putRow(known)
	}
	if j.ID == p.shown.id {
		p.detail.SetJob(j)
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
	delete(p.unsent, id)
	p.tally = nil
	p.list.Drop(id)
}

// settled follows up on changes of the list: the selection may be on another
// job now, the detail may want another height.
func (p *Pane) settled() tea.Cmd {
	if _, there := p.jobs[p.wish]; there {
		if !p.list.Select(p.wish) { // what was asked for may not hide behind a filter
			p.list.SetFilter("")
			p.list.Select(p.wish)
		}
		p.wish = ""
	}
	cmd := tea.Batch(p.show(), p.look())
	if p.detail.Lines() != p.laid || p.attachment == nil && p.nothing() != p.lay.alone {
		cmd = tea.Batch(cmd, p.arrange())
	}
	return cmd
}

// looking reports whether somebody sees the job now.
func (p *Pane) looking(id engine.ID) bool {
	if !p.focused || p.over != nil {
		return false
	}
	if p.attachment != nil {
		return p.attachment.id == id
	}
	j, ok := p.list.Selected()
	return ok && j.ID == id
}

// looked clears the news of the job that somebody sees now.
func (p *Pane) looked() {
	j, ok := p.jobs[p.shown.id]
	if ok && j.unread > 0 && p.looking(j.ID) {
		j.unread, p.tally = 0, nil
		p.putRow(j)
		p.dirty = true
	}
}

// tickEvery is how often uptimes move.
func (p *Pane) tickEvery() time.Duration {
	if p.opts.calm {
		return time.Minute
	}
	return time.Second
}

// tick keeps the clock going while something that is shown runs, and lets it
// stand otherwise.
func (p *Pane) tick() tea.Cmd {
	if p.ticking || !p.moving() {
		return nil
	}
	p.ticking = true
	p.tickGen++
	s, clock := stamp{p, p.tickGen}, p.opts.clock
	return tea.Every(p.tickEvery(), func(time.Time) tea.Msg { return tickMsg{s, clock()} })
}

// moving reports whether time makes a difference to the screen.
func (p *Pane) moving() bool {
	if p.w == 0 || p.h == 0 {
		return false
	}
	if p.attachment != nil {
		j, ok := p.jobs[p.attachment.id]
		return ok && !j.Status.Finished()
	}
	for _, j := range p.jobs {
		if !j.Status.Finished() {
			return true
		}
	}
	return false
}

func (p *Pane) ticked(msg tickMsg) tea.Cmd {
	p.ticking = false
	p.setNow(msg.now)
	for _, j := range p.jobs {
		if j.advance() {
			p.putRow(j)
		}
	}
	return p.tick()
}

// advance moves the trace on by one tick; it reports whether that can be seen.
func (j *job) advance() bool {
	active := j.fresh > 0
	for _, v := range j.trace {
		active = active || v > 0
	}
	if !active {
		return false
	}
	trace := make([]uint8, 0, traceLength) // rows keep the slice they were given
	if len(j.trace) == traceLength {
		trace = append(trace, j.trace[1:]...)
	} else {
		trace = append(trace, make([]uint8, traceLength-1)...)
	}
	j.trace = append(trace, level(j.fresh))
	j.fresh = 0
	return true
}

// level turns bytes in a tick into eighths on a logarithmic scale: a line is
// little, a megabyte is full.
func level(n int64) uint8 {
	if n <= 0 {
		return 0
	}
	return uint8(max(1, min(8, (bits.Len64(uint64(n))-3)/2)))
}

// counts of the header; unseen are those that ended while nobody looked.
type counts struct{ running, waiting, failed, done, unseenFailed, unseenDone int }

func (p *Pane) counts() counts {
	if p.tally != nil {
		return *p.tally
	}
	var c counts
	for _, j := range p.jobs {
		switch statusbadge.StateOf(j.Job).Need() {
		case 0:
			c.waiting++
			c.running++
		case 1:
			c.running++
		case 2:
			c.failed++
			c.unseenFailed += min(j.unread, 1)
		default:
			c.done++
			c.unseenDone += min(j.unread, 1)
		}
	}
	p.tally = &c
	return c
}

// Running is the number of jobs that keep running when the host leaves.
func (p *Pane) Running() int { return p.counts().running }
