package ui

import (
	"slices"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/joblist"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// conditions decide what the user can do now: why an action of the table cannot be performed, and how its
// key is shown in the footer. They only read. With several jobs, an action is refused only if it is
// impossible for each of them.
type conditions struct {
	*labels
	view    *view
	list    *joblist.Model
	output  *output
	notices *notices
}

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
func over(j engine.Job) bool { return j.LeftNothing() }

func stoppable(j engine.Job) bool { return !over(j) }

func restartable(engine.Job) bool { return true }

func (c *conditions) refuseStop(jobs []engine.Job) string {
	if all(jobs, func(j engine.Job) bool { return j.Status == engine.Stopping }) {
		return c.dotted(c.subject(jobs)+" already stopping", c.does(c.opts.keys.Panes.Kill, "kill now"))
	}
	return c.refuseKill(jobs)
}

func (c *conditions) refuseKill(jobs []engine.Job) string {
	if all(jobs, over) {
		return c.alreadyEnded(jobs)
	}
	return ""
}

func (c *conditions) refuseSignal(jobs []engine.Job) string {
	if all(jobs, finished) {
		return c.alreadyEnded(jobs)
	}
	return ""
}

func (c *conditions) refuseLine(jobs []engine.Job) string {
	switch j := jobs[0]; {
	case finished(j):
		return c.alreadyEnded(jobs)
	case !j.Stdin.Writable():
		return c.shortName(j) + " was started without input"
	}
	return ""
}

func (c *conditions) refuseAttach(jobs []engine.Job) string {
	if jobs[0].Link == engine.LinkElsewhere {
		return "This job runs on another machine or container"
	}
	return ""
}

func (c *conditions) refuseClear(jobs []engine.Job) string {
	running := func(j engine.Job) bool { return !finished(j) }
	if !all(jobs, running) {
		return ""
	}
	k, still := c.opts.keys, " still running"
	if all(jobs, func(j engine.Job) bool { return j.Status == engine.Queued }) {
		still = " still queued"
	}
	return c.dotted(c.subject(jobs)+still, c.does(k.Panes.Stop, "stop"), c.does(k.Jobs.Remove, "stop and clear"))
}

func (c *conditions) refuseClearFinished([]engine.Job) string {
	if slices.ContainsFunc(c.list.Passed(), finished) {
		return ""
	}
	if c.list.Filter() != "" {
		return "No finished job" + c.matching(c.list.Filter())
	}
	return "No job has finished"
}

func (c *conditions) refusePath(jobs []engine.Job) string {
	if outputPath(jobs[0], c.output.stream) == "" {
		return "This job has no output file"
	}
	return ""
}

// refuseFile is for actions that open a file in another program on this machine.
func (c *conditions) refuseFile(jobs []engine.Job) string {
	if j := jobs[0]; j.Host != "" {
		return "The log is on " + j.Host + "; read it with: hob log " + string(j.ID)
	}
	return c.refusePath(jobs)
}

// refuseOnScreen is for actions that need the log, while a screen is shown.
func (c *conditions) refuseOnScreen([]engine.Job) string {
	if c.output.screenShown() {
		return c.noLog()
	}
	return ""
}

func (c *conditions) refuseStream(jobs []engine.Job) string {
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

func (c *conditions) refuseTurn(jobs []engine.Job) string {
	switch {
	case len(waitingOf(jobs)) > 0:
		return ""
	case jobs[0].Status == engine.Queued && jobs[0].Host != "":
		return c.subject(jobs) + " queued on a cluster, whose scheduler decides"
	}
	return c.subject(jobs) + " not waiting in a queue"
}

func (c *conditions) refusePauseQueue(jobs []engine.Job) string {
	if jobs[0].Queue == "" {
		return c.subject(jobs[:1]) + " not in a queue"
	}
	return ""
}

func (c *conditions) refuseReplay(jobs []engine.Job) string {
	if !jobs[0].HasTerminal() {
		return "It has no terminal to replay; its log has all of the output"
	}
	return ""
}
