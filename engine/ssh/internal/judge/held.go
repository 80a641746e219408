package judge

import (
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/internal/hostjob"
	"github.com/hobjobs/hob/internal/proc"
)

// HeldLook is what the holder program of a host reports of a job.
type HeldLook struct {
	Record engine.Record
	Job    *hostjob.Job
	Boot   string              // of the host
	Up     record.Milliseconds // how long the host has run
	At     time.Time           // here, when the answer came
	Skew   time.Duration       // how far the clock here is ahead of that of the host
	Dir    string              // of the job, on the host
}

// IsGone reports whether the directory of the job does not exist any more, or is that of another job.
func (l *HeldLook) IsGone() bool {
	return l.Job.Gone || l.Job.Token != "" && l.Job.Token != l.Record.Job.Token
}

// State returns the job's state, which is that of a local job of the host, by the clocks of this machine.
func (l *HeldLook) State() engine.State {
	o := l.Job.State.State
	if l.IsGone() {
		o = LastKnown(l.Record)
		o.Status, o.Stopping = engine.Lost, nil
		o.Exit = engine.Exit{
			Status: engine.Lost,
			Reason: engine.ReasonHolderDied,
			Error:  "its directory on the host no longer exists",
			At:     l.At,
		}
		return o
	}
	switch o.Link {
	case record.LinkUnreachable, record.LinkElsewhere:
	default:
		o.Link = engine.LinkOK
	}
	if o.StartedUp != 0 {
		ran := l.Up - o.StartedUp
		o.StartedUp = steady(l.Record.Job.StartedUp, record.InMilliseconds(proc.RunningAt(l.At))-ran)
		o.UpBoot = proc.BootID()
	}
	l.translate(&o)
	o.HostDir, o.HostHolder = l.Dir, l.Job.Program
	o.Machine, o.PIDNS, o.Holder, o.Session, o.Socket = l.Record.Job.Machine, "", engine.Identity{}, 0, ""
	o.Leader.Start = ""
	o.Backgrounded = o.Backgrounded || l.Record.Job.Backgrounded
	return o
}

// translate converts the times of the host's clock. What o points to is not changed.
func (l *HeldLook) translate(o *engine.State) {
	o.Exit.SinceBoot = 0 // of another machine
	if l.Skew == 0 {
		return
	}
	shift := func(times ...*time.Time) {
		for _, t := range times {
			if !t.IsZero() {
				*t = t.Add(l.Skew)
			}
		}
	}
	shift(&o.StartedAt, &o.Deadline, &o.Exit.At, &o.StaleSince)
	if o.Stopping != nil {
		asked := *o.Stopping
		shift(&asked.At, &asked.Deadline)
		o.Stopping = &asked
	}
	if o.Pending != nil {
		pending := *o.Pending
		shift(&pending.StartsAt)
		o.Pending = &pending
	}
	if o.Health != nil {
		health := *o.Health
		shift(&health.Since)
		o.Health = &health
	}
	if o.Runs != nil {
		runs := *o.Runs
		shift(&runs.NextAt)
		o.Runs = &runs
	}
}

// Logs returns what the look found of the job's logs.
func (l *HeldLook) Logs() *recipe.Entry {
	j := l.Job
	return &recipe.Entry{
		Claimed: true,
		Token:   j.Token,
		Sizes:   j.Sizes,
		Holes:   j.Holes,
		Strange: j.Strange,
		Over:    j.State.Status.Finished(),
		Group:   j.Held, // they may still grow
	}
}
