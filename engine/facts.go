package engine

import (
	"reflect"
	"slices"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
)

// fact is an event without its job. The job is added when the event is read, so that the reader
// gets its current state.
type fact struct {
	of     *tracker
	kind   EventKind
	offset int64
	at     time.Time
	note   Note
	exit   Exit
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
		facts = append(facts, fact{kind: EventBackgrounded, offset: sent.Offset, at: sent.At})
	}
	exit, ended := j.Ended()
	if ended {
		now = exit.At
	}
	if j.Output > 0 {
		facts = append(facts, fact{kind: EventOutput, offset: j.Output, at: now})
	}
	if ended {
		facts = append(facts, fact{kind: endKind(j.Status), offset: j.Output, at: exit.At})
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
		facts = append(facts, fact{kind: kind, offset: j.Output, at: at})
		return &facts[len(facts)-1]
	}
	if j.Runs != nil && j.Runs.Last != nil && (old.Runs == nil || old.Runs.Last == nil || !old.Runs.Last.At.Equal(j.Runs.Last.At)) {
		add(EventRunEnded, j.Runs.Last.At).exit = *j.Runs.Last
	}
	if !j.StartedAt.IsZero() && (old.StartedAt.IsZero() || j.Runs.Number() > old.Runs.Number()) && !j.Runs.Between() {
		add(EventStarted, j.StartedAt).offset = old.Output // new output is reported next
	}
	if j.Output > old.Output || j.Dropped > old.Dropped {
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
	if j.Link != old.Link || j.LinkError != old.LinkError || j.StaleSince.IsZero() != old.StaleSince.IsZero() {
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

// rowChanged reports whether a value of a list row has changed that has no event kind of its own;
// it is reported as a title change. Values that end with the job do not count.
func rowChanged(old, j *Job) bool {
	if j.Title != old.Title || j.Size != old.Size {
		return true
	}
	return !j.Status.Finished() && (j.Cwd != old.Cwd || j.Paused != old.Paused || j.Alternate != old.Alternate ||
		j.Entry != old.Entry || !reflect.DeepEqual(j.Pending, old.Pending) || j.Scheduled != old.Scheduled || !sameProgress(j.Progress, old.Progress) ||
		j.Status == Stopping && old.Status != Stopping || j.Status == Running && old.Status == Stopping)
}

func endKind(s Status) EventKind {
	if s == Lost {
		return EventLost
	}
	return EventExited
}

func sameProgress(a, b *Progress) bool {
	return a == b || a != nil && b != nil && *a == *b
}
