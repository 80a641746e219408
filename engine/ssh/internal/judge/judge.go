// Package judge decides what the answer of a host means for a job: its status, how it ended, and whether
// that is certain enough to be recorded. It does no input or output and keeps no state: the same [Look]
// always gives the same result.
package judge

import (
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/slurm"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// Look is what one look at a job on its host has found.
type Look struct {
	Record engine.Record
	Entry  *recipe.Entry
	Clock  recipe.Clock
	At     time.Time // here, when the answer came
	// Confirms reports that the job looked lost in an earlier listing that also checked its
	// wrapper. Without it, a job that looks lost is not judged lost.
	Confirms bool
	Queue    *slurm.Queue // what a cluster's scheduler reports; nil: unknown, or no scheduler
}

// Certainty is whether a state can be recorded.
type Certainty int

// The certainties.
const (
	Certain Certainty = iota
	// Unstarted: the job was requested but has no process yet, which can still change.
	Unstarted
	// Doubtful: the job looks lost. Lost is final, and one listing cannot prove it: a job
	// that ends between the two halves of a listing has neither a process nor an exit code
	// in it.
	Doubtful
	// Elsewhere: another machine runs the job, and only that machine can report its status.
	Elsewhere
)

// LastKnown returns the state in the record here, of a host that answers.
func LastKnown(r engine.Record) engine.State {
	s := r.Job.State
	s.Link, s.LinkError, s.StaleSince = engine.LinkOK, "", time.Time{}
	return s
}

// Scheduled reports whether a cluster's scheduler starts the job of r.
func Scheduled(r engine.Record) bool {
	_, onCluster := slurm.Login(r.Job.Host)
	return onCluster || r.Job.Scheduler == slurm.Name
}

// State returns the job's state according to the look. A doubtful one has the status from before
// the job looked lost. The caller knows since when a state is out of date whose link is not ok.
func (l *Look) State() (o engine.State, sure Certainty) {
	e, j := l.Entry, &l.Record.Job
	o = LastKnown(l.Record)
	if j.Host == "" {
		o.Link = engine.LinkNone
	}
	switch {
	case e.Gone && j.StartedAt.IsZero():
		return o, Unstarted
	case e.Gone, e.IsOfAnother(j.Token):
		sure = l.lost(&o, engine.ReasonHolderDied, "its directory on the host no longer exists")
		return o, sure
	}
	l.facts(&o)
	boot := e.BootOf()
	switch {
	case e.Over:
		l.ended(&o, boot)
	case e.Failed != "" && !e.Begun():
		if sure = l.refused(&o); sure == Unstarted {
			return o, sure
		}
	case Scheduled(l.Record):
		if sure = l.onCluster(&o); sure == Unstarted {
			return o, sure
		}
	case !e.Begun() && !e.Claimed:
		if j.StartedAt.IsZero() {
			sure = Unstarted
		}
		return o, sure
	case e.Elsewhere(l.Clock, j.Host == ""):
		l.elsewhere(&o)
		return o, Elsewhere
	case boot != "" && boot != l.Clock.Boot:
		sure = l.lost(&o, engine.ReasonReboot, "the host was restarted")
	case e.Alive():
		o.Status = l.begun()
		o.Paused = strings.EqualFold(e.State, "T")
	case e.WrapperAlive():
		// The wrapper is about to start the job, or to record its end.
		o.Status = l.begun()
	case e.Wrapper == nil:
		o.Status = engine.Starting // claimed a moment ago
	default:
		sure = l.lost(&o, engine.ReasonHolderDied, "its end was not recorded: the process that watched it has exited")
		if sure == Certain && e.Group {
			o.Exit.Survivors = []engine.Process{{PID: e.Job.PID, Command: "(its process group)"}}
		}
	}
	l.stopping(&o)
	return o, sure
}

// stopping sets what a request to end the job makes of its state.
func (l *Look) stopping(o *engine.State) {
	o.Stopping = nil
	by := l.Entry.EndedBy
	switch {
	case o.Status.Finished():
		o.Rest()
		o.Pending = nil
	case by != nil:
		o.Status = engine.Stopping
		asked := l.when(&jobdir.ShellMoment{Date: by.Date, Up: -1}, "")
		o.Stopping = &engine.StopRequest{Deadline: asked.Add(time.Duration(by.Grace) * 100 * time.Millisecond)}
	}
}

// refused is for a job that was given up before it had a process.
func (l *Look) refused(o *engine.State) Certainty {
	e := l.Entry
	switch {
	case e.EndedBy != nil: // cancelled
		o.Status = engine.Killed
		o.Exit = engine.Exit{
			Status:  engine.Killed,
			Reason:  engine.Reason(e.EndedBy.Reason),
			EndedBy: e.EndedBy.By,
			At:      l.At,
		}
	case Scheduled(l.Record) && len(l.Record.Job.After) > 0:
		return Unstarted // the end of another job may be why
	default:
		o.Status = engine.Failed
		o.Exit = engine.Exit{
			Status: engine.Failed,
			Reason: engine.ReasonSpawn,
			Error:  e.Failed,
			At:     l.At,
		}
	}
	return Certain
}

// elsewhere is for a job that runs on another machine, while the machine that answered only has its
// files. The state stays as last known; the files show when the job was last active.
func (l *Look) elsewhere(o *engine.State) {
	o.Link = engine.LinkElsewhere
	if host := l.Record.Job.Host; host != "" {
		o.LinkError = host + ": it runs on another machine that has the same files"
	}
}

// begun is the status of a job that is alive, or whose wrapper is.
func (l *Look) begun() engine.Status {
	if l.Entry.Ready || l.Record.Job.Status == engine.Running {
		return engine.Running
	}
	return engine.Starting
}

// facts sets what applies whether the job runs or not.
func (l *Look) facts(o *engine.State) {
	e, j := l.Entry, &l.Record.Job
	if e.Job != nil {
		o.Leader.PID = e.Job.PID
	}
	if e.Number != "" {
		o.Scheduled.ID, o.Scheduled.Node = e.Number, e.Node
	}
	if o.StartedAt.IsZero() && e.Ready {
		o.StartedAt = l.startedAt()
	}
	ran, known := l.ran()
	if known {
		o.StartedUp = steady(j.StartedUp, record.InMilliseconds(proc.RunningAt(l.At)-ran))
	}
	if j.Timeout > 0 && !o.StartedAt.IsZero() {
		o.Deadline = o.StartedAt.Add(j.Timeout.Duration())
		if known { // the wall clock here may have been set since
			o.Deadline = o.Deadline.Add((l.At.Round(0).Sub(o.StartedAt) - ran).Round(time.Second))
		}
	}
	o.Output, o.Dropped = 0, 0
	for _, name := range logsOf(j) {
		o.Output += e.Sizes[name]
		hole := e.Holes[name]
		o.Dropped += hole.End - hole.Start
	}
	if e.NoLimit {
		o.NoLimit = true
	}
}

// startedAt is when the job started, by the client's clock; zero if the files on the host do not say that.
func (l *Look) startedAt() time.Time {
	at := l.when(l.Entry.Started, l.Entry.BootOf())
	if requested := l.Record.Job.CreatedAt; !at.IsZero() && at.Before(requested) {
		return requested // the host's clocks have a resolution of one second
	}
	return at
}

func logsOf(j *engine.Job) []string {
	if j.Split {
		return []string{jobdir.StdoutFile, jobdir.StderrFile}
	}
	return []string{jobdir.OutputFile}
}

// lost is the only place that decides that a job is lost.
func (l *Look) lost(o *engine.State, why engine.Reason, text string) Certainty {
	if !l.Confirms {
		o.Status = l.begun()
		return Doubtful
	}
	o.Status = engine.Lost
	o.Exit = engine.Exit{
		Status: engine.Lost,
		Reason: why,
		Error:  text,
		At:     l.At,
	}
	return Certain
}

// ended is for a job with an exit_code.
func (l *Look) ended(o *engine.State, boot string) {
	exit := l.Entry.Exit()
	if exit.At = l.when(l.Entry.Ended, boot); exit.At.IsZero() {
		exit.At = l.At
	}
	if exit.At.Before(o.StartedAt) {
		exit.At = o.StartedAt
	}
	if exit.Status == engine.Failed {
		o.Leader.PID = 0 // that was no process of the job
	}
	o.Status, o.Exit = exit.Status, exit
}
