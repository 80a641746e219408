package engine

import "time"

// EventKind names a fact.
type EventKind string

// The kinds, as they stand in JSON.
const (
	// EventCreated: the job is there. In a snapshot it is the only one of a job,
	// and its Job says the rest.
	EventCreated EventKind = "created"
	EventStarted EventKind = "started"
	// EventBackgrounded: nobody waits for it any longer. Not told of a job for
	// which nobody ever did (Spec.Backgrounded).
	EventBackgrounded EventKind = "backgrounded"
	EventOutput       EventKind = "output" // output reaches Offset
	// EventTitle: the title has changed, or another thing that a row shows: the
	// directory, size, progress, whether it is paused or being stopped.
	EventTitle     EventKind = "title"
	EventWaiting   EventKind = "waiting"   // waits for input, or no longer
	EventAttention EventKind = "attention" // rang the bell, or sent a notification: Note
	EventExited    EventKind = "exited"    // ended, however: Job.Exit
	EventLost      EventKind = "lost"      // gone without a record
	EventRemoved   EventKind = "removed"   // cleared, or its directory was deleted
	EventLink      EventKind = "link"      // its host can be reached, or no longer
)

// Event is one fact about one job. Job is how the job stood when the event was
// handed out.
type Event struct {
	Kind   EventKind
	Job    Job
	Offset int64     // how far the output reached, in bytes
	At     time.Time // when it happened; where nobody knows that, when it was seen
	Note   Note      // only of attention
	// Binary, of output: what was written last is not text, but bytes such as an archive's.
	// It is not known, and false, of jobs on hosts.
	Binary bool
}

// Urgent reports whether the event must wake a reader at once and may never be
// merged with another.
func (k EventKind) Urgent() bool {
	switch k {
	case EventCreated, EventStarted, EventBackgrounded, EventExited, EventLost, EventRemoved, EventAttention:
		return true
	case EventOutput, EventTitle, EventWaiting, EventLink:
	}
	return false
}

// Filter selects the jobs for which all that is set holds. The zero value selects
// all jobs.
type Filter struct {
	Statuses []Status // one of them
	// Running, Finished and Failed: one of those that are set.
	Running  bool // starting, running or stopping
	Finished bool
	Failed   bool              // Job.Unsuccessful
	Host     string            // empty: any, and this machine
	Here     bool              // only jobs of this machine
	Since    time.Time         // created then or later, or ended
	IDs      []ID              // one of them
	Labels   map[string]string // each of them
}
