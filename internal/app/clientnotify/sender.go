// Package clientnotify notifies the user of events of [notify] that no holder can send, because it has died or is on a host. A
// client does so as long as it follows the jobs. Several clients may follow the same job: a note beside it records what
// was sent, so that each event is sent once.
package clientnotify

import (
	"context"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/notes"
	"github.com/hobjobs/hob/internal/notify"
	"github.com/hobjobs/hob/internal/notifyevent"
)

// oldest is the maximum age of an end that is sent: a client that follows jobs for the first time finds all that have
// ever ended.
const oldest = 24 * time.Hour

// Sender notifies the user of events of jobs. It is not safe for concurrent use.
type Sender struct {
	book   notes.Book
	events []notifyevent.Event
	start  func(engine.Job, notify.Notice) error

	holds   map[happening]bool // what applied to a job when it was last looked at
	reached map[engine.ID]bool // the jobs whose machine has answered meanwhile
	later   map[engine.ID]deferred
}

// deferred is a job with an event that came too soon after the last one.
type deferred struct {
	job engine.Job // as it was last looked at
	at  time.Time  // when the event may be sent
}

// happening is an event of a job.
type happening struct {
	job   engine.ID
	event notifyevent.Event
}

// New returns a sender. start notifies the user: it starts another process, which calls [Once], and does not wait for it.
// It may be called again for an event that was sent meanwhile.
func New(book notes.Book, events []notifyevent.Event, start func(engine.Job, notify.Notice) error) *Sender {
	return &Sender{
		book:    book,
		events:  events,
		start:   start,
		holds:   map[happening]bool{},
		reached: map[engine.ID]bool{},
		later:   map[engine.ID]deferred{},
	}
}

// Follow looks at each job of which the subscription has an event, until ctx is done.
func (s *Sender) Follow(ctx context.Context, sub *engine.Subscription) {
	for {
		batch, err := s.next(ctx, sub)
		if err != nil {
			return
		}
		for i := range batch {
			s.Look(&batch[i].Job)
		}
	}
}

// next waits for events. It returns none when a deferred event may be due, which it has sent then.
func (s *Sender) next(ctx context.Context, sub *engine.Subscription) ([]engine.Event, error) {
	first, isDeferred := s.LookAgain()
	if !isDeferred {
		return sub.Next(ctx)
	}
	waiting, cancel := context.WithDeadline(ctx, first)
	defer cancel()
	batch, err := sub.Next(waiting)
	if err != nil && ctx.Err() == nil && waiting.Err() != nil {
		return nil, nil
	}
	return batch, err
}

// LookAgain sends the deferred events that are due and still apply. It returns when the next one is due, if there is
// one.
func (s *Sender) LookAgain() (next time.Time, ok bool) {
	now := time.Now()
	for _, d := range s.later {
		if !now.Before(d.at) {
			s.Look(&d.job)
		}
	}
	for _, d := range s.later {
		if !ok || d.at.Before(next) {
			next, ok = d.at, true
		}
	}
	return next, ok
}

// Look sends the events that have begun to apply to a job since it was last looked at. An event that comes too soon
// after the last one is deferred. If s is nil, it sends none.
func (s *Sender) Look(j *engine.Job) {
	wanted := j.Notify || j.Backgrounded
	if s == nil || !wanted {
		return
	}
	if j.Link == engine.LinkOK {
		s.reached[j.ID] = true
	}
	delete(s.later, j.ID)
	for _, event := range s.events {
		h := happening{j.ID, event}
		n, applies := s.noticeOf(j, event)
		began := applies && !s.holds[h]
		ended := !applies && s.holds[h]
		s.holds[h] = applies
		switch {
		case ended:
			_ = over(s.book, j.ID, event) // otherwise it is not sent when it happens again
		case began && !s.send(j, n):
			s.holds[h] = false // with the next event of the job
		}
	}
}

// send starts to send an event, unless it was sent already. It reports false if that is to be repeated.
func (s *Sender) send(j *engine.Job, n notify.Notice) bool {
	now := time.Now()
	wait, isNew := untilDue(s.book.Number(string(j.ID), key(n.Event)), now)
	if !isNew {
		return true
	}
	if wait == 0 {
		return s.start(*j, n) == nil
	}
	at := now.Add(wait)
	if d, ok := s.later[j.ID]; ok && d.at.Before(at) {
		at = d.at
	}
	s.later[j.ID] = deferred{*j, at}
	return false
}

// noticeOf describes an event of a job; applies is false if it does not apply, or if a
// holder sends it.
func (s *Sender) noticeOf(j *engine.Job, event notifyevent.Event) (n notify.Notice, applies bool) {
	n = notify.Notice{Event: event, Status: string(j.Status)}
	switch event {
	case notifyevent.Lost:
		n.Result = "is " + j.Ending()
		return n, j.Status == engine.Lost && isNews(j)
	case notifyevent.Unreachable:
		n.Result = "is unreachable"
		n.Detail = cells.Clean(j.LinkReason())
		return n, j.Link == engine.LinkUnreachable && s.reached[j.ID] && !j.Status.Finished()
	case notifyevent.Failed, notifyevent.Ended:
		n = notify.OfEnd(&j.Exit)
		isRecorded := j.Status.Finished() && j.Status != engine.Lost
		if !isRecorded || !isUnheld(j) {
			return n, false
		}
		return n, n.Event == event && isNews(j)
	default:
	}
	if j.Status.Finished() || !isUnheld(j) {
		return n, false
	}
	return notify.OfState(event, &j.State, func() string { return strings.TrimSpace(cells.Clean(j.Line)) })
}

// isUnheld reports whether the job is on a host where no holder sends its events.
func isUnheld(j *engine.Job) bool { return j.Host != "" && !j.Notifies }

// isNews reports whether the end of a job is new to the user. When a lost job ended is not always known.
func isNews(j *engine.Job) bool {
	return !j.Seen && (j.Exit.At.IsZero() || time.Since(j.Exit.At) < oldest)
}
