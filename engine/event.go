package engine

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

// EventKind is the kind of an event.
type EventKind string

// The event kinds, as in JSON.
const (
	// EventCreated: the job exists. In a snapshot it is the job's only event; its Job has the rest.
	EventCreated EventKind = "created"
	EventStarted EventKind = "started" // its command was started, also for a further run
	// EventRunEnded: the command has ended and is started again after a pause: Job.Runs.Last is how it
	// ended. The last run has EventExited instead.
	EventRunEnded EventKind = "run_ended"
	// EventBackgrounded: no client waits for the job any longer. Not sent for a job that was
	// started in the background (Spec.Backgrounded).
	EventBackgrounded EventKind = "backgrounded"
	EventOutput       EventKind = "output" // output reaches Offset; Job.Line may be known later
	// EventTitle: the title or another value of a list row has changed: directory, size, progress,
	// paused, stopping, that the user has seen a failure.
	EventTitle   EventKind = "title"
	EventWaiting EventKind = "waiting" // started or stopped waiting for input
	// EventStatus: the state that the program in the job's terminal reports has changed: Program.
	EventStatus EventKind = "status"
	// EventHealth: the health check found the job to be healthy or unhealthy: Job.Health.
	EventHealth    EventKind = "health"
	EventAttention EventKind = "attention" // rang the bell, or sent a notification: Note
	EventExited    EventKind = "exited"    // ended in any way: Job.Exit
	EventLost      EventKind = "lost"      // ended without a record
	EventRemoved   EventKind = "removed"   // cleared, or its directory was deleted
	EventLink      EventKind = "link"      // its host became reachable or unreachable
)

// Event is one fact about one job. Job is the job's state at the time the event was delivered.
type Event struct {
	Kind   EventKind
	Job    Job
	Offset int64     // output size, in bytes
	At     time.Time // when it happened, or when it was noticed if that is not known
	Note   Note      // only for EventAttention
	// Program, for EventStatus, is what has changed. Changes that follow each other quickly are one.
	Program ProgramChange
	// Exit, for EventRunEnded, is how the run ended. The history has only its code and its signal.
	Exit Exit
	// Binary, for EventOutput: the last output is not text, but for example an archive. It is not
	// detected for jobs on hosts.
	Binary bool
}

// urgent reports whether the event must wake a reader immediately and is never merged.
func (k EventKind) urgent() bool {
	switch k {
	case EventCreated, EventStarted, EventRunEnded, EventBackgrounded, EventExited, EventLost, EventRemoved, EventAttention, EventHealth:
		return true
	case EventOutput, EventTitle, EventWaiting, EventStatus, EventLink:
	}
	return false
}

// Filter selects jobs that match all fields that are set. The zero value selects all jobs.
type Filter struct {
	Statuses []Status // one of them
	// Running, Finished and Failed: the job matches any of those that are set.
	Running  bool // has not ended
	Finished bool
	Failed   bool              // Job.Unsuccessful
	Host     string            // empty: this machine and all hosts
	Here     bool              // only jobs of this machine
	Since    time.Time         // created or ended at that time or later
	IDs      []ID              // one of them
	Labels   map[string]string // all of them

	CreatedBy string // name of the client that started the job, as of [WithClient]
	// Same selects jobs with the same command line, in the same directory of the same machine, as a job
	// that is started with this request.
	Same *Spec

	// Unverified selects nothing: List returns jobs as their records describe them, and does not ask the
	// processes that hold them, which takes seconds if one hangs. It is for callers that run often.
	Unverified bool
}

// History returns the recorded facts since the given time, oldest first, of existing jobs. Output
// and removals are not recorded. Each event has the job's current state.
func (e *Engine) History(ctx context.Context, since time.Time) ([]Event, error) {
	jobs, err := e.List(ctx, Filter{})
	if err != nil {
		return nil, err
	}
	var evs []Event
	for _, j := range jobs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !j.CreatedAt.Before(since) {
			evs = append(evs, Event{
				Kind: EventCreated,
				Job:  j,
				At:   j.CreatedAt,
			})
		}
		if exit, ok := j.Ended(); ok && exit.At.Before(since) {
			continue
		}
		facts, err := jobdir.Facts(e.root.Dir(string(j.ID)), since)
		if err != nil {
			e.log.Warn("cannot read the history of a job", "job", j.ID, "err", err)
		}
		ended := false
		for _, f := range facts {
			kind := EventKind(f.Kind)
			if kind == EventCreated {
				continue
			}
			if kind == EventExited || kind == EventLost {
				ended = true
			}
			ev := Event{
				Kind:   kind,
				Job:    j,
				Offset: f.Offset,
				At:     f.At,
				Exit:   Exit{Code: f.Code, Signal: f.Signal},
			}
			if kind == EventAttention {
				ev.Note = Note{Title: f.Title, Body: f.Body, Urgency: f.Urgency}
			}
			if f.Program != nil {
				ev.Program = *f.Program
			}
			evs = append(evs, ev)
		}
		// The end is in the records even if it could not be added to the history.
		if exit, ok := j.Ended(); ok && !ended {
			evs = append(evs, Event{
				Kind:   endKind(j.Status),
				Job:    j,
				Offset: j.Output,
				At:     exit.At,
			})
		}
	}
	slices.SortStableFunc(evs, func(a, b Event) int { return a.At.Compare(b.At) })
	return evs, nil
}

// fact is an event without its job. The job is added when the event is read, so that the reader
// gets its current state.
type fact struct {
	of     *tracker
	kind   EventKind
	offset int64
	at     time.Time
	note   Note
	exit   Exit
	said   ProgramChange
}

// change is one change of a job's state.
type change struct {
	old, new  Job
	note      Note
	attention bool
}

// backgroundFact returns when a job was sent to the background. It is nil if the job is not in the
// background or was started there, which is not an event.
func (e *Engine) backgroundFact(j Job) *jobdir.Fact {
	if !j.Backgrounded {
		return nil
	}
	dir := e.root.Dir(string(j.ID))
	if m, err := jobdir.ReadMeta(dir); err != nil || m.StartInBackground {
		return nil
	}
	facts, err := jobdir.Facts(dir, time.Time{})
	if err != nil {
		e.log.Warn("cannot read the history of a job", "job", j.ID, "err", err)
	}
	if i := slices.IndexFunc(facts, func(f jobdir.Fact) bool { return f.Kind == string(EventBackgrounded) }); i >= 0 {
		return &facts[i]
	}
	// The state is written before the history, so the fact may not be there yet.
	return &jobdir.Fact{At: e.cfg.now(), Offset: j.Output}
}

// initialFacts returns the facts of a job that was not known before. sent is when it was sent to
// the background, or nil. Output is dated now, or before the end.
func initialFacts(j Job, sent *jobdir.Fact, now time.Time) []fact {
	facts := []fact{{kind: EventCreated, at: j.CreatedAt}}
	if !j.StartedAt.IsZero() {
		facts = append(facts, fact{kind: EventStarted, at: j.StartedAt})
	}
	if sent != nil {
		facts = append(facts, fact{
			kind:   EventBackgrounded,
			offset: sent.Offset,
			at:     sent.At,
		})
	}
	exit, ended := j.Ended()
	if ended {
		now = exit.At
	}
	if j.Output > 0 {
		facts = append(facts, fact{
			kind:   EventOutput,
			offset: j.Output,
			at:     now,
		})
	}
	if ended {
		facts = append(facts, fact{
			kind:   endKind(j.Status),
			offset: j.Output,
			at:     exit.At,
		})
	}
	return facts
}

// factsOf returns the facts that follow from a change, in the order in which they happened. The end
// comes last.
func factsOf(c change, now time.Time) []fact {
	var facts []fact
	old, j := &c.old, &c.new
	add := func(kind EventKind, at time.Time) *fact {
		if at.IsZero() {
			at = now
		}
		facts = append(facts, fact{
			kind:   kind,
			offset: j.Output,
			at:     at,
		})
		return &facts[len(facts)-1]
	}
	if run := lastRun(j); !run.At.IsZero() && !run.At.Equal(lastRun(old).At) {
		add(EventRunEnded, run.At).exit = run
	}
	if hasStarted(old, j) {
		add(EventStarted, j.StartedAt).offset = old.Output // new output is reported next
	}
	grew := j.Output > old.Output || j.Dropped > old.Dropped
	if grew || hasNewLine(old, j) {
		add(EventOutput, now)
	}
	if !old.Backgrounded && j.Backgrounded {
		add(EventBackgrounded, now)
	}
	if rowChanged(old, j) {
		add(EventTitle, now)
	}
	if j.Waiting != old.Waiting {
		add(EventWaiting, now)
	}
	if healthOf(j) != healthOf(old) && !j.Status.Finished() {
		add(EventHealth, now)
	}
	if said, changed := record.ChangeOf(old.Program, j.Program); changed {
		add(EventStatus, now).said = said
	}
	if linkOf(j) != linkOf(old) {
		add(EventLink, now)
	}
	if c.attention {
		add(EventAttention, now).note = c.note
	}
	if !old.Status.Finished() && j.Status.Finished() {
		add(endKind(j.Status), j.Exit.At)
	}
	return facts
}

// hasNewLine reports whether the last line of a job has become known. For a job on a host without hob-holder, it
// becomes known later than the size of the output.
func hasNewLine(old, j *Job) bool {
	return j.Kind != KindVirtual && !j.Status.Finished() && j.Line != old.Line
}

// lastRun returns the end of the last run of a command that is started again, without a time if there
// was none.
func lastRun(j *Job) Exit {
	if j.Runs == nil || j.Runs.Last == nil {
		return Exit{}
	}
	return *j.Runs.Last
}

// hasStarted reports whether the command was started since old, for the first time or again.
func hasStarted(old, j *Job) bool {
	switch {
	case j.StartedAt.IsZero(), j.Runs.Between():
		return false
	case old.StartedAt.IsZero():
		return true
	}
	return j.Runs.Number() > old.Runs.Number()
}

// link is what clients see of the connection to the machine of a job.
type link struct {
	is    Link
	err   string
	stale bool
}

func linkOf(j *Job) link { return link{j.Link, j.LinkError, !j.StaleSince.IsZero()} }

// rowChanged reports whether a value of a list row has changed that has no event kind of its own;
// it is reported as a title change. Values that end with the job do not count.
func rowChanged(old, j *Job) bool {
	if j.Title != old.Title || j.Size != old.Size {
		return true
	}
	return !j.Status.Finished() && !reflect.DeepEqual(liveValuesOf(old), liveValuesOf(j))
}

// liveValues are values of a list row that end with the job.
type liveValues struct {
	cwd       string
	paused    bool
	alternate bool
	entry     Entry
	pending   *Pending
	scheduled Scheduled
	progress  *Progress
	program   *Program
	stopping  bool
	unhealthy string // why the last check failed
}

func liveValuesOf(j *Job) liveValues {
	v := liveValues{
		cwd:       j.Cwd,
		paused:    j.Paused,
		alternate: j.Alternate,
		entry:     j.Entry,
		pending:   j.Pending,
		scheduled: j.Scheduled,
		progress:  j.Progress,
		program:   j.Program,
		stopping:  j.Status == Stopping,
	}
	if j.Health.Is(Unhealthy) {
		v.unhealthy = j.Health.Output
	}
	return v
}

// healthOf returns what is known of the health of a job.
func healthOf(j *Job) record.HealthState {
	if j.Health == nil {
		return record.HealthUnknown
	}
	return j.Health.State
}

func endKind(s Status) EventKind {
	if s == Lost {
		return EventLost
	}
	return EventExited
}
