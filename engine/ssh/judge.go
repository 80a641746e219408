package ssh

import (
	"slices"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/slurm"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
	jobqueue "github.com/hobjobs/hob/internal/queue"
)

// sight is one look at a job on its host.
type sight struct {
	rec   engine.Record
	entry *recipe.Entry
	clock recipe.Clock
	at    time.Time // here, when the answer came
	// confirms reports that the job looked lost in an earlier listing that also checked its
	// wrapper. Without it, a job that looks lost is not judged lost.
	confirms bool
	queue    *slurm.Queue // what a cluster's scheduler reports; nil: unknown, or no scheduler
}

// certainty is whether a verdict can be recorded.
type certainty int

const (
	certain certainty = iota
	// unstarted: the job was requested but has no process yet, which can still change.
	unstarted
	// doubtful: the job looks lost. Lost is final, and one listing cannot prove it: a job
	// that ends between the two halves of a listing has neither a process nor an exit code
	// in it.
	doubtful
	// elsewhere: another machine runs the job, and only that machine can report its status.
	elsewhere
)

// when converts a moment on the host to local time. The uptime is preferred: it does not step when
// the clock is set. The host's clock is never compared with ours.
func (s *sight) when(m *jobdir.ShellMoment, boot string) time.Time {
	if m == nil {
		return time.Time{}
	}
	ago := float64(s.clock.Date - m.Date)
	if boot == s.clock.Boot && boot != "-" && m.Up >= 0 && s.clock.Up >= m.Up {
		ago = s.clock.Up - m.Up
	}
	return s.at.Add(-time.Duration(max(0, ago) * float64(time.Second)))
}

// ran is how long the job had run when it was observed, by the host's clock since boot. It is
// unaffected by clock changes on either side and by suspension of this machine.
func (s *sight) ran() (d time.Duration, known bool) {
	m, boot := s.entry.Started, s.entry.BootOf()
	if m == nil || m.Up < 0 || s.clock.Up < m.Up || boot == "-" || boot != s.clock.Boot {
		return 0, false
	}
	return time.Duration((s.clock.Up - m.Up) * float64(time.Second)), true
}

// steady returns before if it differs from now only by the latency of answers, otherwise now.
func steady(before, now engine.Milliseconds) engine.Milliseconds {
	if before != 0 && (now-before).Duration().Abs() < time.Second {
		return before
	}
	return now
}

// verdict returns the job's state according to the look. A doubtful one has the status from before
// the job looked lost.
func (s *sight) verdict() (o engine.State, sure certainty) {
	e, j := s.entry, &s.rec.Job
	o = lastKnown(s.rec)
	if j.Host == "" {
		o.Link = engine.LinkNone
	}
	if e.Gone || e.Token != "" && e.Token != s.rec.Job.Token {
		if j.StartedAt.IsZero() && e.Gone {
			return o, unstarted
		}
		sure = s.lost(&o, engine.ReasonHolderDied, "its directory on the host no longer exists")
		return o, sure
	}
	s.facts(&o)
	boot := e.BootOf()
	switch {
	case e.Over:
		s.ended(&o, boot)
	case e.Failed != "" && e.Wrapper == nil && e.Job == nil && e.EndedBy != nil: // cancelled before it began
		o.Status = engine.Killed
		o.Exit = engine.Exit{Status: engine.Killed, Reason: engine.Reason(e.EndedBy.Reason), EndedBy: e.EndedBy.By, At: s.at}
	case e.Failed != "" && e.Wrapper == nil && e.Job == nil && scheduled(s.rec) && len(j.After) > 0:
		return o, unstarted // the end of another job may be why
	case e.Failed != "" && e.Wrapper == nil && e.Job == nil: // abandoned
		o.Status = engine.Failed
		o.Exit = engine.Exit{Status: engine.Failed, Reason: engine.ReasonSpawn, Error: e.Failed, At: s.at}
	case scheduled(s.rec):
		if sure = s.onCluster(&o); sure == unstarted {
			return o, sure
		}
	case e.Wrapper == nil && e.Job == nil && !e.Claimed:
		if j.StartedAt.IsZero() {
			sure = unstarted
		}
		return o, sure
	case e.Elsewhere(s.clock, j.Host == ""):
		s.elsewhere(&o)
		return o, elsewhere
	case boot != "" && boot != s.clock.Boot:
		sure = s.lost(&o, engine.ReasonReboot, "the host was restarted")
	case e.Job != nil && e.Live == e.Job.Start && e.State != "Z":
		o.Status = s.begun()
		o.Paused = e.State == "T" || e.State == "t"
	case e.Wrapper != nil && e.WrapLive == e.Wrapper.Start:
		// The wrapper is about to start the job, or to record its end.
		o.Status = s.begun()
	case e.Wrapper == nil:
		o.Status = engine.Starting // claimed a moment ago
	default:
		sure = s.lost(&o, engine.ReasonHolderDied, "its end was not recorded: the process that watched it has exited")
		if sure == certain && e.Group {
			o.Exit.Survivors = []engine.Process{{PID: e.Job.PID, Command: "(its process group)"}}
		}
	}
	if o.Stopping = nil; o.Status.Finished() {
		o.Rest()
		o.Pending = nil
	} else if e.EndedBy != nil {
		o.Status = engine.Stopping
		asked := s.when(&jobdir.ShellMoment{Date: e.EndedBy.Date, Up: -1}, "")
		o.Stopping = &engine.StopRequest{Deadline: asked.Add(time.Duration(e.EndedBy.Grace) * 100 * time.Millisecond)}
	}
	return o, sure
}

// elsewhere is for a job that runs on another machine, while the machine that answered only has its
// files. The state stays as last known; the files show when the job was last active.
func (s *sight) elsewhere(o *engine.State) {
	o.Link = engine.LinkElsewhere
	if s.rec.Job.Host != "" {
		o.LinkError = s.rec.Job.Host + ": it runs on another machine that has the same files"
	}
	if rec, err := jobdir.Read(s.rec.Dir); err == nil {
		o.StaleSince = rec.Touched
	}
}

// begun is the status of a job that is alive, or whose wrapper is.
func (s *sight) begun() engine.Status {
	if s.entry.Ready || s.rec.Job.Status == engine.Running {
		return engine.Running
	}
	return engine.Starting
}

// facts sets what applies whether the job runs or not.
func (s *sight) facts(o *engine.State) {
	e, j := s.entry, &s.rec.Job
	if e.Job != nil {
		o.Leader.PID = e.Job.PID
	}
	if e.Number != "" {
		o.Scheduled.ID, o.Scheduled.Node = e.Number, e.Node
	}
	if o.StartedAt.IsZero() && e.Ready {
		o.StartedAt = s.when(e.Started, e.BootOf())
		if !o.StartedAt.IsZero() && o.StartedAt.Before(j.CreatedAt) {
			o.StartedAt = j.CreatedAt // the host's clocks have a resolution of one second
		}
	}
	ran, known := s.ran()
	if known {
		o.StartedUp = steady(j.StartedUp, record.InMilliseconds(proc.RunningAt(s.at)-ran))
	}
	if j.Timeout > 0 && !o.StartedAt.IsZero() {
		o.Deadline = o.StartedAt.Add(j.Timeout.Duration())
		if known { // the wall clock here may have been set since
			o.Deadline = o.Deadline.Add((s.at.Round(0).Sub(o.StartedAt) - ran).Round(time.Second))
		}
	}
	o.Output, o.Dropped = 0, 0
	for _, name := range logsOf(j) {
		o.Output += e.Sizes[name]
		hole := e.Holes[name]
		o.Dropped += hole.End - hole.Start
	}
	o.NoLimit = o.NoLimit || e.NoLimit
}

func logsOf(j *engine.Job) []string {
	if j.Split {
		return []string{jobdir.StdoutFile, jobdir.StderrFile}
	}
	return []string{jobdir.OutputFile}
}

// lost is the only place that concludes that a job is lost.
func (s *sight) lost(o *engine.State, why engine.Reason, text string) certainty {
	if !s.confirms {
		o.Status = s.begun()
		return doubtful
	}
	o.Status = engine.Lost
	o.Exit = engine.Exit{Status: engine.Lost, Reason: why, Error: text, At: s.at}
	return certain
}

// ended is for a job with an exit_code.
func (s *sight) ended(o *engine.State, boot string) {
	exit := s.entry.Exit()
	if exit.At = s.when(s.entry.Ended, boot); exit.At.IsZero() {
		exit.At = s.at
	}
	if exit.At.Before(o.StartedAt) {
		exit.At = o.StartedAt
	}
	if exit.Status == engine.Failed {
		o.Leader.PID = 0 // that was no process of the job
	}
	o.Status, o.Exit = exit.Status, exit
}

// lastKnown returns the state in the record here, of a host that answers.
func lastKnown(r engine.Record) engine.State {
	s := r.Job.State
	s.Link, s.LinkError, s.StaleSince = engine.LinkOK, "", time.Time{}
	return s
}

// onCluster is verdict for a job that a cluster's scheduler starts and that has no recorded end. The
// processes of the job's files are those of its node, so only the scheduler knows whether they live.
func (s *sight) onCluster(o *engine.State) certainty {
	e, q := s.entry, s.queue
	o.Pending = nil
	known := q != nil && q.Err == nil
	j, listed := slurm.Job{}, false
	if known {
		j, listed = q.Jobs[slurm.Comment(s.rec.Job.Token)]
	}
	if listed {
		o.Scheduled.ID, o.Scheduled.Partition = j.Number, j.Partition
	}
	switch {
	case listed && !e.Claimed && j.Unsatisfiable() && len(s.rec.Job.After) > 0:
		return unstarted // which of the jobs that it follows is the cause, their records show
	case listed && j.Stage() == slurm.Ended && !s.stillWriting(&j):
		return s.endedThere(o, &j)
	case known && !listed && q.Date > s.submitted() && !e.Claimed:
		return unstarted
	case known && !listed && q.Date > s.submitted():
		sure := s.lost(o, engine.ReasonHolderDied, "Slurm no longer knows the job, and its end was not recorded")
		o.Pending = nil
		return sure
	case e.Claimed:
		o.Status = s.begun()
		o.Paused = s.paused() || listed && j.Stage() == slurm.Suspended || !known && s.wasPaused()
	case e.Number == "" && !listed && s.rec.Job.Pending == nil:
		o.Status = engine.Starting // it is being submitted
	case listed && j.HasBegun():
		o.Status = engine.Starting // what its node writes is not visible here yet
	default:
		o.Status, o.Pending = engine.Queued, s.pending(&j, listed)
	}
	if q != nil && q.Err != nil {
		o.Link, o.LinkError, o.StaleSince = engine.LinkUnreachable, q.Err.Error(), lastSeen(s.rec)
	}
	return certain
}

// unsatisfied is why Slurm has cancelled a job, if it is not known which other one is the cause.
const unsatisfied = "to Slurm, a job that it depends on was not successful"

// unsatisfiable reports whether Slurm has cancelled the job because of the end of another.
func (s *sight) unsatisfiable() bool {
	if s.queue == nil {
		return false
	}
	j, listed := s.queue.Jobs[slurm.Comment(s.rec.Job.Token)]
	return listed && j.Unsatisfiable()
}

// submitted is when Slurm must have known the job, by the host's clock. A submission whose answer was
// lost may arrive after its end.
func (s *sight) submitted() int64 {
	if s.entry.Number == "" {
		return s.entry.Submitted + int64(lateSubmission.Seconds())
	}
	return s.entry.Submitted
}

// paused is whether hob has paused the job, as its last signal shows.
func (s *sight) paused() bool {
	name := s.entry.Signal.Name
	return name == "STOP" || name == "TSTP"
}

// wasPaused is whether the job was paused according to its record or the last answer of Slurm, and hob
// has not continued it.
func (s *sight) wasPaused() bool {
	if s.entry.Signal.Name == "CONT" {
		return false
	}
	if s.rec.Job.Paused || s.queue == nil {
		return s.rec.Job.Paused
	}
	j := s.queue.Jobs[slurm.Comment(s.rec.Job.Token)]
	return j.Stage() == slurm.Suspended
}

// stillWriting reports whether the record of an end may yet become visible.
func (s *sight) stillWriting(j *slurm.Job) bool {
	if !s.entry.Claimed && j.State == "CANCELLED" && !j.HasBegun() {
		return false
	}
	return j.End == 0 || s.clock.Date-j.End < int64(recordPatience.Seconds())
}

// pending is why a job waits.
func (s *sight) pending(j *slurm.Job, listed bool) *engine.Pending {
	p := &engine.Pending{Reason: "waiting for Slurm"}
	if before := s.rec.Job.Pending; !listed && before != nil {
		return before
	}
	if after := slices.Concat(s.rec.Job.After, s.rec.Job.AfterAny); len(after) > 0 && (!listed || j.Depends()) {
		p.Reason, p.After = jobqueue.After(after), after
	} else if listed && j.Reason != "" {
		p.Reason = j.Reason
	}
	if !listed {
		return p
	}
	if j.Start > 0 {
		at := s.at.Add(time.Duration(j.Start-s.clock.Date) * time.Second).Round(time.Second)
		if before := s.rec.Job.Pending; before != nil && at.Sub(before.StartsAt).Abs() <= 2*time.Second {
			at = before.StartsAt // only the latency of answers differs
		}
		p.StartsAt = at
	}
	return p
}

// endedThere is the end of a job that left no record, by the state that Slurm gives.
func (s *sight) endedThere(o *engine.State, j *slurm.Job) certainty {
	exit := engine.Exit{Status: engine.Killed, EndedBy: slurm.Name, At: s.at}
	switch state := j.State; {
	case j.Unsatisfiable(): // by the user's own options
		exit = engine.Exit{Status: engine.Failed, Reason: engine.ReasonDependency, Error: unsatisfied, At: s.at}
	case state == "CANCELLED", state == "REVOKED":
		exit.Reason = engine.ReasonKill
	case state == "TIMEOUT", state == "DEADLINE":
		exit.Reason = engine.ReasonTimeout
	case state == "OUT_OF_MEMORY":
		exit.Reason, exit.Signal = engine.ReasonOOM, "SIGKILL"
	case state == "PREEMPTED":
		exit = engine.Exit{Status: engine.Lost, Reason: engine.ReasonPreempted, Error: "Slurm ended it for another job, and its end was not recorded", At: s.at}
	case state == "NODE_FAIL", state == "BOOT_FAIL":
		exit = engine.Exit{Status: engine.Lost, Reason: engine.ReasonNodeFailed, Error: "its node failed", At: s.at}
	default:
		// Otherwise its files may never have become visible.
		if s.entry.Claimed || j.State == "COMPLETED" || j.Reason == "NonZeroExitCode" {
			exit = engine.Exit{Status: engine.Lost, Reason: engine.ReasonHolderDied, Error: "its end was not recorded; Slurm's state is " + j.State, At: s.at}
		} else {
			exit = engine.Exit{Status: engine.Failed, Reason: engine.ReasonSpawn, Error: "Slurm gives the reason " + j.Reason, At: s.at}
		}
	}
	if by := s.entry.EndedBy; by != nil && exit.Status == engine.Killed {
		exit.Reason, exit.EndedBy = engine.Reason(by.Reason), by.By
	}
	o.Status, o.Exit = exit.Status, exit
	return certain
}
