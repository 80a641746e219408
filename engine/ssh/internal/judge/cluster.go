package judge

import (
	"cmp"
	"slices"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/slurm"
	jobqueue "github.com/hobjobs/hob/internal/queue"
)

const (
	// recordPatience is how long the record of an end may take to be visible on the shared disk.
	recordPatience = time.Minute
	// killPatience is the same for a job that hob had Slurm cancel. It is killed in any case; only its exit
	// code may come later. Slurm leaves no time for a record if the job is suspended.
	killPatience = 5 * time.Second
	// lateSubmission is how long after its start a submission without an answer may still arrive.
	lateSubmission = 90 * time.Second
)

// onCluster decides about a job that a cluster's scheduler starts and that has no recorded end. The
// processes of the job's files are those of its node, so only the scheduler knows whether they live.
func (l *Look) onCluster(o *engine.State) Certainty {
	e := l.Entry
	o.Pending = nil
	j := l.listed()
	if j.Listed() {
		o.Scheduled.ID, o.Scheduled.Partition = j.Number, j.Partition
	}
	switch {
	case l.cancelledForAnother(&j):
		return Unstarted // which of the jobs that it follows is the cause, their records show
	case l.endedWithoutRecord(&j):
		l.endedThere(o, &j)
		return Certain
	case l.forgotten():
		if !e.Claimed {
			return Unstarted
		}
		return l.lost(o, engine.ReasonHolderDied, "Slurm no longer knows the job, and its end was not recorded")
	case e.Claimed:
		o.Status, o.Paused = l.begun(), l.paused(&j)
	case j.HasBegun():
		o.Status = engine.Starting // what its node writes is not visible here yet
	case l.isBeingSubmitted(&j):
		o.Status = engine.Starting
	default:
		o.Status, o.Pending = engine.Queued, l.pending(&j)
	}
	if err := l.silence(); err != nil {
		o.Link, o.LinkError = engine.LinkUnreachable, err.Error()
	}
	return Certain
}

// LastAnswer returns when Slurm last answered any client, by the clock of this machine; zero if that is not
// known. Changes to the job after that time, such as a suspension, are not known.
func (l *Look) LastAnswer() time.Time {
	switch {
	case l.Queue == nil, l.Queue.Date == 0:
		return time.Time{}
	}
	return l.At.Add(-time.Duration(max(0, l.Clock.Date-l.Queue.Date)) * time.Second)
}

// silence returns why it is not known what Slurm says now; nil if that is known, or Slurm was not asked yet.
// An answer may arrive late, such as after this machine has slept.
func (l *Look) silence() error {
	if l.Queue == nil || l.Queue.Err != nil {
		return l.Queue.Failure()
	}
	if l.Clock.Date-l.Queue.Date >= int64(slurm.AnswerLasts.Seconds()) {
		return slurm.ErrSilent
	}
	return nil
}

// answered reports whether it is known what Slurm says now.
func (l *Look) answered() bool { return l.Queue != nil && l.silence() == nil }

// listed returns the job as the scheduler reports it now, the zero Job if it does not.
func (l *Look) listed() slurm.Job {
	if !l.answered() {
		return slurm.Job{}
	}
	return l.everListed()
}

// everListed is listed, also by an earlier answer.
func (l *Look) everListed() slurm.Job {
	if l.Queue == nil {
		return slurm.Job{}
	}
	return l.Queue.Jobs[slurm.Comment(l.Record.Job.Token)]
}

// cancelledForAnother reports whether Slurm has cancelled the job because of one that it follows.
func (l *Look) cancelledForAnother(j *slurm.Job) bool {
	if l.Entry.Claimed {
		return false
	}
	follows := len(l.Record.Job.After) > 0
	return follows && j.Unsatisfiable()
}

// forgotten reports whether the scheduler does not list a job that it must have known.
func (l *Look) forgotten() bool {
	if !l.answered() {
		return false
	}
	j := l.listed()
	return !j.Listed() && l.Queue.Date > l.submitted()
}

// submitted is when Slurm must have known the job, by the host's clock. A submission whose answer was
// lost may arrive after its end.
func (l *Look) submitted() int64 {
	if l.Entry.Number == "" {
		return l.Entry.Submitted + int64(lateSubmission.Seconds())
	}
	return l.Entry.Submitted
}

// isBeingSubmitted reports whether nothing shows yet that Slurm has accepted the job.
func (l *Look) isBeingSubmitted(j *slurm.Job) bool {
	if l.Entry.Number != "" || j.Listed() {
		return false
	}
	return l.Record.Job.Pending == nil
}

// Unsatisfied is why Slurm has cancelled a job, if it is not known which other one is the cause.
const Unsatisfied = "to Slurm, a job that it depends on was not successful"

// Unsatisfiable reports whether Slurm has cancelled the job because of the end of another.
func (l *Look) Unsatisfiable() bool {
	j := l.everListed()
	return j.Unsatisfiable()
}

// paused reports whether a job that has begun is paused: by hob, as its last signal shows, or by Slurm.
// While Slurm does not answer, its last answer and the record show that.
func (l *Look) paused(j *slurm.Job) bool {
	switch sent := l.Entry.Signal.Name; {
	case sent == "STOP", sent == "TSTP":
		return true
	case l.answered():
		return j.Stage() == slurm.Suspended
	case sent == "CONT":
		return false
	case l.Record.Job.Paused:
		return true
	}
	before := l.everListed()
	return before.Stage() == slurm.Suspended
}

// endedWithoutRecord reports whether Slurm has ended the job, and the record of that can no longer become
// visible.
func (l *Look) endedWithoutRecord(j *slurm.Job) bool {
	if j.Stage() != slurm.Ended {
		return false
	}
	patience := recordPatience
	if j.State == "CANCELLED" {
		if hasRun := j.HasBegun() || l.Entry.Claimed; !hasRun {
			return true
		}
		if l.Entry.EndedBy != nil {
			patience = killPatience
		}
	}
	return j.End != 0 && l.Clock.Date-j.End >= int64(patience.Seconds())
}

// pending is why a job waits.
func (l *Look) pending(j *slurm.Job) *engine.Pending {
	before := l.Record.Job.Pending
	p := &engine.Pending{Reason: cmp.Or(j.Reason, "waiting for Slurm")}
	if !j.Listed() {
		l.follow(p)
		return cmp.Or(before, p)
	}
	if j.Depends() {
		l.follow(p)
	}
	if j.Start > 0 {
		p.StartsAt = l.At.Add(time.Duration(j.Start-l.Clock.Date) * time.Second).Round(time.Second)
		if before != nil && p.StartsAt.Sub(before.StartsAt).Abs() <= 2*time.Second {
			p.StartsAt = before.StartsAt // only the latency of answers differs
		}
	}
	return p
}

// follow sets the reason of a job that waits for other jobs, if it follows any.
func (l *Look) follow(p *engine.Pending) {
	if after := slices.Concat(l.Record.Job.After, l.Record.Job.AfterAny); len(after) > 0 {
		p.Reason, p.After = jobqueue.AfterReason(after), after
	}
}

// endedThere is the end of a job that left no record, by the state that Slurm gives.
func (l *Look) endedThere(o *engine.State, j *slurm.Job) {
	exit := engine.Exit{Status: engine.Killed, EndedBy: slurm.Name, At: l.At}
	lost := func(reason engine.Reason, text string) {
		exit = engine.Exit{
			Status: engine.Lost,
			Reason: reason,
			Error:  text,
			At:     l.At,
		}
	}
	failed := func(reason engine.Reason, text string) {
		exit = engine.Exit{
			Status: engine.Failed,
			Reason: reason,
			Error:  text,
			At:     l.At,
		}
	}
	if j.Unsatisfiable() { // by the user's own options
		failed(engine.ReasonDependency, Unsatisfied)
		o.Status, o.Exit = exit.Status, exit
		return
	}
	switch j.State {
	case "CANCELLED", "REVOKED":
		exit.Reason = engine.ReasonKill
	case "TIMEOUT", "DEADLINE":
		exit.Reason = engine.ReasonTimeout
	case "OUT_OF_MEMORY":
		exit.Reason, exit.Signal = engine.ReasonOOM, "SIGKILL"
	case "PREEMPTED":
		lost(engine.ReasonPreempted, "Slurm ended it for another job, and its end was not recorded")
	case "NODE_FAIL", "BOOT_FAIL":
		lost(engine.ReasonNodeFailed, "its node failed")
	default:
		switch {
		case l.Entry.Claimed, j.State == "COMPLETED", j.Reason == "NonZeroExitCode":
			lost(engine.ReasonHolderDied, "its end was not recorded; Slurm's state is "+j.State)
		default: // it may never have begun
			failed(engine.ReasonSpawn, "Slurm gives the reason "+j.Reason)
		}
	}
	by := l.Entry.EndedBy
	switch {
	case by == nil, exit.Status != engine.Killed:
	case by.By == slurm.Name: // its state names the reason, which may not have been known before
	default:
		exit.Reason, exit.EndedBy = engine.Reason(by.Reason), by.By
	}
	o.Status, o.Exit = exit.Status, exit
}
