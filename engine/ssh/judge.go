package ssh

import (
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/engine/ssh/internal/slurm"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
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
		o.StartedUp = steady(j.StartedUp, engine.InMilliseconds(proc.RunningAt(s.at)-ran))
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
