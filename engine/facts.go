package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
)

// sentAway is when a job was sent to the background; ok is false if it is not
// there, or was from the first moment on, which is no fact of its own.
func (e *Engine) sentAway(j Job) (at jobdir.Fact, ok bool) {
	if !j.Backgrounded {
		return at, false
	}
	dir := e.root.Dir(string(j.ID))
	if m, err := jobdir.ReadMeta(dir); err != nil || m.Backgrounded {
		return at, false
	}
	// The state is written before the history, which may lack it.
	at = jobdir.Fact{At: e.cfg.now(), Offset: j.Output}
	facts, err := jobdir.Facts(dir, time.Time{})
	if err != nil {
		e.log.Warn("the history of a job cannot be read", "job", j.ID, "err", err)
	}
	if i := slices.IndexFunc(facts, func(f jobdir.Fact) bool { return f.Kind == string(EventBackgrounded) }); i >= 0 {
		at = facts[i]
	}
	return at, true
}

// birth is what is told of a job that was not known: all that has happened. sent
// is when it was sent to the background, nil if it was not. Output that it has is
// seen now, or came before the end.
func birth(j Job, sent *jobdir.Fact, now time.Time) []Event {
	evs := []Event{{Kind: EventCreated, Job: j, At: j.CreatedAt}}
	if !j.StartedAt.IsZero() {
		evs = append(evs, Event{Kind: EventStarted, Job: j, At: j.StartedAt})
	}
	if sent != nil {
		evs = append(evs, Event{Kind: EventBackgrounded, Job: j, Offset: sent.Offset, At: sent.At})
	}
	exit, ended := j.Ended()
	if ended {
		now = exit.At
	}
	if j.Output > 0 {
		evs = append(evs, Event{Kind: EventOutput, Job: j, Offset: j.Output, At: now})
	}
	if ended {
		evs = append(evs, Event{Kind: endKind(j.Status), Job: j, Offset: j.Output, At: exit.At})
	}
	return evs
}

// changes is what a step means, in the order in which it happened. The end comes
// last.
func changes(s step, now time.Time) []Event {
	var evs []Event
	add := func(kind EventKind, at time.Time) {
		if at.IsZero() {
			at = now
		}
		evs = append(evs, Event{Kind: kind, Job: s.new, Offset: s.new.Output, At: at})
	}
	old, j := &s.old, &s.new
	if old.StartedAt.IsZero() && !j.StartedAt.IsZero() {
		add(EventStarted, j.StartedAt)
		evs[0].Offset = old.Output // what is new is told next
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
	if j.Link != old.Link || j.LinkError != old.LinkError {
		add(EventLink, now)
	}
	if s.attention {
		add(EventAttention, now)
		evs[len(evs)-1].Note = s.note
	}
	if !old.Status.Finished() && j.Status.Finished() {
		add(endKind(j.Status), j.Exit.At)
	}
	return evs
}

// rowChanged reports whether a fact without a kind of its own has changed that a row
// shows, which is told as a title. What is over because the job is does not count.
func rowChanged(old, j *Job) bool {
	if j.Title != old.Title || j.Size != old.Size {
		return true
	}
	return !j.Status.Finished() && (j.Cwd != old.Cwd || j.Paused != old.Paused || j.Alternate != old.Alternate ||
		j.Entry != old.Entry || !sameProgress(j.Progress, old.Progress) ||
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

func sortEvents(evs []Event) {
	slices.SortFunc(evs, func(a, b Event) int {
		return cmp.Or(b.Job.CreatedAt.Compare(a.Job.CreatedAt), cmp.Compare(a.Job.ID, b.Job.ID))
	})
}
