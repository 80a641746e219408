package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/joblist"
)

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
		p.put(e.Job)
	}
	for id := range p.jobs.all {
		if !there[id] {
			p.drop(id)
		}
	}
	var over tea.Cmd
	if a := p.fore.attached(); a != nil && !a.reported {
		if p.jobs.finished(a.id) { // not a new end
			over = p.ended(p.jobs.all[a.id])
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
	old, had := p.jobs.all[id]
	was := engine.Job{}
	if had {
		was = old.Job
	}
	p.put(e.Job)
	j := p.jobs.all[id]
	p.lines.guard()
	var cmds []tea.Cmd
	if line := p.lines.sendingTo(id); line != nil && e.Kind == engine.EventOutput {
		cmds = append(cmds, p.lines.askEntry(line)) // it may ask for something else now
	}

	if id == p.output.id {
		cmds = append(cmds, p.output.changed(j, was, e.Kind == engine.EventOutput || j.Status.Finished()))
	}
	switch {
	case e.Kind == engine.EventExited, e.Kind == engine.EventLost:
		if ranBefore := had && !was.Status.Finished(); ranBefore || p.jobs.justEnded(j, p.now) {
			cmds = append(cmds, p.ended(j))
		}
	case e.Kind == engine.EventLink && j.Link == engine.LinkOK:
		p.notices.DropKey(connectKey(j.Host))
	case e.Kind == engine.EventAttention:
		cmds = append(cmds, p.jobNotified(j, e.Note))
	case j.Waiting && !was.Waiting && had:
		cmds = append(cmds, p.attention(j, WhyWaiting, engine.Note{}))
	case e.Kind == engine.EventHealth && j.Health.Is(engine.Unhealthy):
		cmds = append(cmds, p.attention(j, WhyUnhealthy, engine.Note{}))
	case e.Kind == engine.EventStatus && had:
		cmds = append(cmds, p.programReported(j, e.Program))
	}
	return tea.Batch(cmds...)
}

// showFacts updates the detail with the facts of a job, and with its usage unless motion is
// reduced.
func (p *Pane) showFacts(j *job) {
	p.detail.SetJob(j.Job)
	p.detail.SetWhy(j.why)
	p.detail.SetRestarting(p.jobActions.restarts.stopping(j.ID))
	if !p.opts.calm {
		p.detail.SetUsage(p.jobs.samplesOf(j), sampleEvery)
	}
}

func (p *Pane) putRow(j *job) {
	p.list.Put(joblist.Row{Job: j.Job, Unread: j.unread})
}

// settled follows changes of the list: another job may be selected, and the detail may need
// another height.
func (p *Pane) settled() tea.Cmd {
	if _, there := p.jobs.all[p.selectNext]; there {
		if !p.list.Select(p.selectNext) { // a requested job must not be hidden by a filter
			p.list.SetFilter("")
			if !p.list.Select(p.selectNext) {
				p.list.SetProject(nil)
				p.list.Select(p.selectNext)
			}
		}
		p.selectNext = ""
	}
	return tea.Batch(p.show(), p.output.updatePreview(), p.rearrange())
}

// Running returns the number of jobs that keep running after the pane is closed. While the pane shows a project, it
// counts only the jobs of that project.
func (p *Pane) Running() int {
	c := p.Counts().Counts
	if p.list.Project() != nil {
		c = p.list.Counts()
	}
	return c.Running + c.Restarting + c.Queued
}

// put stores the current state of a job.
func (p *Pane) put(j engine.Job) {
	known := p.jobs.put(j, p.now)
	p.putRow(known)
	if j.ID == p.output.id {
		p.showFacts(known)
	}
}

func (p *Pane) drop(id engine.ID) {
	p.jobs.drop(id, p.now)
	delete(p.history.unsent, id)
	p.list.Drop(id)
}

// Counts returns the numbers of the jobs of the pane.
func (p *Pane) Counts() Counts { return p.jobs.counts() }

// selectJob selects a job, now or when it appears.
func (p *Pane) selectJob(id engine.ID) tea.Cmd {
	p.selectNext = id
	return p.settled()
}
