package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
)

// fact is what an event says beside its job, of which it has the tracker: a reader is
// given the job as it stands when it reads.
type fact struct {
	of     *tracker
	kind   EventKind
	offset int64
	at     time.Time
	note   Note
}

// step is one change of a job.
type step struct {
	old, new  Job
	note      Note
	attention bool
}

// sentAway is when a job was sent to the background; nil if it is not there, or was
// from the first moment on, which is no fact of its own.
func (e *Engine) sentAway(j Job) *jobdir.Fact {
	if !j.Backgrounded {
		return nil
	}
	dir := e.root.Dir(string(j.ID))
	if m, err := jobdir.ReadMeta(dir); err != nil || m.StartInBackground {
		return nil
	}
	facts, err := jobdir.Facts(dir, time.Time{})
	if err != nil {
		e.log.Warn("the history of a job cannot be read", "job", j.ID, "err", err)
	}
	if i := slices.IndexFunc(facts, func(f jobdir.Fact) bool { return f.Kind == string(EventBackgrounded) }); i >= 0 {
		return &facts[i]
	}
	// The state is written before the history.
	return &jobdir.Fact{At: e.cfg.now(), Offset: j.Output}
}

// birth is what is reported of a job that was not known: all that has happened. sent
// is when it was sent to the background, nil if it was not. Output that it has is
// seen now, or came before the end.
func birth(j Job, sent *jobdir.Fact, now time.Time) []fact {
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

// changes is what a step means, in the order in which it happened. The end comes
// last.
func changes(s step, now time.Time) []fact {
	var facts []fact
	old, j := &s.old, &s.new
	add := func(kind EventKind, at time.Time) *fact {
		if at.IsZero() {
			at = now
		}
		facts = append(facts, fact{kind: kind, offset: j.Output, at: at})
		return &facts[len(facts)-1]
	}
	if old.StartedAt.IsZero() && !j.StartedAt.IsZero() {
		add(EventStarted, j.StartedAt).offset = old.Output // what is new is reported next
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
		add(EventAttention, now).note = s.note
	}
	if !old.Status.Finished() && j.Status.Finished() {
		add(endKind(j.Status), j.Exit.At)
	}
	return facts
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
