package engine

import (
	"cmp"
	"slices"
	"time"
)

// birth is what is told of a job that was not known: all that has happened.
func birth(j Job) []Event {
	evs := []Event{{Kind: EventCreated, Job: j, At: j.CreatedAt}}
	if !j.StartedAt.IsZero() {
		evs = append(evs, Event{Kind: EventStarted, Job: j, At: j.StartedAt})
	}
	if j.Output > 0 {
		evs = append(evs, Event{Kind: EventOutput, Job: j, Offset: j.Output, At: j.CreatedAt})
	}
	if exit, ok := j.Ended(); ok {
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
	}
	if !old.Backgrounded && j.Backgrounded {
		add(EventBackgrounded, now)
	}
	if j.Output > old.Output || j.Dropped > old.Dropped {
		add(EventOutput, now)
	}
	// Facts that have no kind of their own are told as a title: what a row shows.
	if j.Title != old.Title || j.Cwd != old.Cwd || j.Size != old.Size || j.Paused != old.Paused || j.Alternate != old.Alternate || !sameProgress(j.Progress, old.Progress) ||
		j.Status == Stopping && old.Status != Stopping || j.Status == Running && old.Status == Stopping {
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
