package ui

import (
	"slices"
	"strconv"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// Functions of this file return why an action of the table cannot be performed. With several
// jobs, an action is refused only if it is impossible for each of them.

func all(jobs []engine.Job, is func(engine.Job) bool) bool {
	for _, j := range jobs {
		if !is(j) {
			return false
		}
	}
	return true
}

func finished(j engine.Job) bool { return j.Status.Finished() }

// over reports whether a job has ended and left no processes.
func over(j engine.Job) bool { return finished(j) && len(j.Exit.Survivors) == 0 }

// subject returns the beginning of a sentence about jobs: "web is", "3 jobs are".
func (l *labels) subject(jobs []engine.Job) string {
	if len(jobs) == 1 {
		return l.shortName(jobs[0]) + " is"
	}
	return strconv.Itoa(len(jobs)) + " jobs are"
}

func (p *Pane) refuseStop(jobs []engine.Job) string {
	if all(jobs, func(j engine.Job) bool { return j.Status == engine.Stopping }) {
		return p.dotted(p.subject(jobs)+" already stopping", p.does(p.opts.keys.Panes.Kill, "kill now"))
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
		return p.shortName(j) + " was started without input"
	}
	return ""
}

func (p *Pane) refuseAttach(jobs []engine.Job) string {
	if jobs[0].Link == engine.LinkElsewhere {
		return "This job runs on another machine or container"
	}
	return ""
}

func (p *Pane) refuseClear(jobs []engine.Job) string {
	running := func(j engine.Job) bool { return !finished(j) }
	if !all(jobs, running) {
		return ""
	}
	k, still := p.opts.keys, " still running"
	if all(jobs, func(j engine.Job) bool { return j.Status == engine.Queued }) {
		still = " still queued"
	}
	return p.dotted(p.subject(jobs)+still, p.does(k.Panes.Stop, "stop"), p.does(k.Jobs.Remove, "stop and clear"))
}

func (p *Pane) refuseClearFinished([]engine.Job) string {
	if slices.ContainsFunc(p.list.Passed(), finished) {
		return ""
	}
	if p.list.Filter() != "" {
		return "No finished job" + p.matching()
	}
	return "No job has finished"
}

func (p *Pane) refusePath(jobs []engine.Job) string {
	if outputPath(jobs[0], p.output.stream) == "" {
		return "This job has no output file"
	}
	return ""
}

// refuseFile is for actions that open a file in another program on this machine.
func (p *Pane) refuseFile(jobs []engine.Job) string {
	if j := jobs[0]; j.Host != "" {
		return "The log is on " + j.Host + "; read it with: hob log " + string(j.ID)
	}
	return p.refusePath(jobs)
}

// refuseOnScreen is for actions that need the log, while a screen is shown.
func (p *Pane) refuseOnScreen([]engine.Job) string {
	if p.output.screenShown() {
		return p.noLog()
	}
	return ""
}

func (p *Pane) refuseStream(jobs []engine.Job) string {
	if !jobs[0].Split {
		return "stdout and stderr of this job are one stream"
	}
	return ""
}

func (l *labels) alreadyEnded(jobs []engine.Job) string {
	if len(jobs) > 1 {
		return "These jobs have already exited"
	}
	if jobs[0].Status == engine.Lost {
		return l.dotted("The job is lost; it may no longer be running", l.does(l.opts.keys.Jobs.Restart, "restart"))
	}
	return l.shortName(jobs[0]) + " has already exited (" + statusbadge.Word(jobs[0]) + ")"
}
