package ui

import (
	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// Why the actions of the table cannot be done now; several jobs refuse an action
// only if each of them does.

func all(jobs []engine.Job, is func(engine.Job) bool) bool {
	for _, j := range jobs {
		if !is(j) {
			return false
		}
	}
	return true
}

func finished(j engine.Job) bool { return j.Status.Finished() }

// over reports whether nothing of a job is left to be stopped.
func over(j engine.Job) bool { return finished(j) && len(j.Exit.Survivors) == 0 }

func (p *Pane) refuseStop(jobs []engine.Job) string {
	if all(jobs, func(j engine.Job) bool { return j.Status == engine.Stopping }) {
		return with("it is stopping", ";", p.does(p.opts.keys.Panes.Kill, "kills it now"))
	}
	return p.refuseKill(jobs)
}

func (p *Pane) refuseKill(jobs []engine.Job) string {
	if all(jobs, over) {
		return p.alreadyEnded(jobs)
	}
	return ""
}

func (p *Pane) refuseSignal(jobs []engine.Job) string {
	if all(jobs, finished) {
		return p.alreadyEnded(jobs)
	}
	return ""
}

func (p *Pane) refuseLine(jobs []engine.Job) string {
	switch j := jobs[0]; {
	case finished(j):
		return p.alreadyEnded(jobs)
	case !j.Stdin.Writable():
		return "it takes no input: it was started without"
	}
	return ""
}

func (p *Pane) refuseAttach(jobs []engine.Job) string {
	if jobs[0].Link == engine.LinkElsewhere {
		return "it belongs to another machine or container"
	}
	return ""
}

func (p *Pane) refuseClear(jobs []engine.Job) string {
	running := func(j engine.Job) bool { return !finished(j) }
	k := p.opts.keys
	switch {
	case !all(jobs, running):
		return ""
	case len(jobs) > 1:
		return with("they are still running", ":", p.does(k.Panes.Stop, "stops them"), p.does(k.Jobs.Remove, "removes them"))
	}
	return with("it is still running", ":", p.does(k.Panes.Stop, "stops it"), p.does(k.Jobs.Remove, "removes it"))
}

func (p *Pane) refuseClearFinished([]engine.Job) string {
	if c := p.counts(); c.failed+c.done == 0 {
		return "no job has finished"
	}
	return ""
}

func (p *Pane) refuseUndo([]engine.Job) string {
	if len(p.undo) == 0 {
		return "nothing to take back; hob clear --undo brings back what was cleared in the last hour"
	}
	return ""
}

func (p *Pane) refusePath(jobs []engine.Job) string {
	if outputPath(jobs[0], p.shown.stream) == "" {
		return "it has no output file"
	}
	return ""
}

// refuseFile is about what is opened by another program of this machine.
func (p *Pane) refuseFile(jobs []engine.Job) string {
	if j := jobs[0]; j.Host != "" {
		return "its output is on " + j.Host + ": hob log " + string(j.ID) + " reads it"
	}
	return p.refusePath(jobs)
}

// refuseOnScreen is about what works in the text of the log only.
func (p *Pane) refuseOnScreen([]engine.Job) string {
	if p.screenShown() {
		return p.noLog()
	}
	return ""
}

func (p *Pane) refuseStream(jobs []engine.Job) string {
	if !jobs[0].Split {
		return "its stdout and stderr are one stream"
	}
	return ""
}

func (p *Pane) alreadyEnded(jobs []engine.Job) string {
	if len(jobs) > 1 {
		return "they have ended already"
	}
	if jobs[0].Status == engine.Lost {
		return with("it is lost: nothing is known to run any more", ";", p.does(p.opts.keys.Jobs.Restart, "runs it again"))
	}
	return "it has ended already: " + statusbadge.Word(jobs[0])
}
