package engine

import (
	"time"

	"github.com/hobjobs/hob/internal/proc"
)

// Job is all that is known of a job at one moment: what was asked, how it stands, and
// what was found out beside its records. It is a value: it never changes after it was
// handed out. Its JSON form is the one of the command line (see MarshalJSON): every field
// present, null where it does not apply.
type Job struct {
	// Request is what was asked. Its Kind is KindFile also where the terminal that was
	// asked for could not be had.
	Request `json:"-"`
	// State is how the job stands. Its Exit is valid when Status.Finished().
	State `json:"-"`

	OutputPath string // empty with Split
	StdoutPath string // only with Split
	StderrPath string

	Ports []int
	CPU   *float64 // percent of one core; nil: not known
	RSS   int64    // bytes; 0: not known
}

// HasTerminal reports whether the job has a screen, so that it can be shown, typed
// into by keys and attached to with [Engine.OpenTerminal].
func (j Job) HasTerminal() bool {
	return j.Kind == KindPTY || j.Kind == KindVirtual && j.Size != Size{}
}

// Streams returns the streams in which the job's output is kept.
func (j Job) Streams() []Stream {
	if j.Split {
		return []Stream{StreamStdout, StreamStderr}
	}
	return []Stream{StreamOutput}
}

// LogCap returns how many bytes of its logs are kept; 0: there is no limit, or the file
// system cannot enforce it.
func (j Job) LogCap() int64 {
	if j.NoLimit {
		return 0
	}
	return max(0, j.LogLimit)
}

// Ended returns how the job ended; ok is false while it has not.
func (j Job) Ended() (exit Exit, ok bool) { return j.Exit, j.Status.Finished() }

// Uptime returns how long the job has run at now, or ran until its end. It does not
// jump with the wall clock where the records and now (its monotonic reading) allow
// that; the time that the machine slept does not count then. Of a job elsewhere, or on a
// host that cannot be reached, it is known until the job was last seen to run, and no
// further.
func (j Job) Uptime(now time.Time) time.Duration {
	switch finished := j.Status.Finished(); {
	case j.StartedAt.IsZero(), finished && j.Exit.At.IsZero():
		return 0
	case finished && j.Exit.Ran > 0:
		return j.Exit.Ran.Duration()
	case finished:
		return max(0, j.Exit.At.Sub(j.StartedAt))
	case (j.Link == LinkUnreachable || j.Link == LinkElsewhere) && !j.StaleSince.IsZero() && j.StaleSince.Before(now):
		return max(0, j.StaleSince.Sub(j.StartedAt))
	case j.StartedUp != 0:
		return max(0, proc.RunningAt(now)-j.StartedUp.Duration())
	}
	return max(0, now.Sub(j.StartedAt))
}

// EndedAgo returns how long before now the job ended, as well as the clocks can tell: by
// the one that cannot be set if that was in this boot, else by Exit.At.
func (j Job) EndedAgo(now time.Time) time.Duration {
	if up := j.Exit.SinceBoot.Duration(); up > 0 {
		return proc.SinceBoot() - up + time.Until(now)
	}
	return now.Sub(j.Exit.At)
}

// Unsuccessful reports whether the job counts as failed for a person: failed,
// lost, or an exit or signal other than 0 that nobody asked for.
func (j Job) Unsuccessful() bool {
	switch j.Status {
	case Failed, Lost:
		return true
	case Exited:
		return j.Exit.Code == nil || *j.Exit.Code != 0
	case Killed:
		return j.Exit.Reason == ReasonTimeout || j.Exit.Reason == ReasonSignal && j.Exit.EndedBy == ""
	case Starting, Running, Stopping:
	}
	return false
}
