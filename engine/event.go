package engine

import "time"

// EventKind names a fact.
type EventKind string

// The kinds, as they stand in JSON.
const (
	EventCreated      EventKind = "created"
	EventStarted      EventKind = "started"
	EventBackgrounded EventKind = "backgrounded"
	EventOutput       EventKind = "output" // output reaches Offset
	EventTitle        EventKind = "title"
	EventWaiting      EventKind = "waiting"   // waits for input, or no longer
	EventAttention    EventKind = "attention" // bell or a notification the job sent
	EventExited       EventKind = "exited"
	EventLost         EventKind = "lost"
	EventRemoved      EventKind = "removed"
	EventLink         EventKind = "link"
)

// Event is one fact about one job. Job is how the job stood when the event was
// handed out.
type Event struct {
	Kind   EventKind
	Job    Job
	Offset int64
	At     time.Time
	Note   Note // only of attention
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

// Filter selects jobs. The zero value selects all.
type Filter struct {
	Statuses []Status // any of them
	Running  bool     // starting, running, stopping
	Finished bool
	Failed   bool // Job.Unsuccessful
	Host     string
	Here     bool // only jobs of this machine
	Since    time.Time
	IDs      []ID
	Labels   map[string]string
}
