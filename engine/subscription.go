package engine

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// paceEvery is the least time between two batches without an urgent fact.
	paceEvery = 33 * time.Millisecond
	// maxNotes bounds the notifications of one job that wait to be read, which it can
	// cause as often as it likes and which are never merged: older ones go.
	maxNotes = 32
)

// Subscription delivers facts to one reader; see the package comment. Next has
// one caller at a time, Close may be called by anyone.
type Subscription struct {
	k      *tracking
	filter Filter

	wake   chan struct{} // has a value when there may be something to read
	closed chan struct{}
	once   sync.Once

	// Guarded by the lock of k.
	admitted  bool        // it was given the snapshot
	unwatched []Job       // in the snapshot, and not watched yet
	looks     map[ID]bool // see Attend; nil: at all jobs
	queue     []fact
	urgent    bool      // queue has an urgent fact
	lastOut   time.Time // when Next returned last
}

// Subscribe subscribes to the jobs that f selects. It does no work before the
// first Next. A job that stops or begins to be selected is told of in the fact
// that makes it so.
func (e *Engine) Subscribe(f Filter) *Subscription {
	return &Subscription{k: &e.tracking, filter: f, wake: make(chan struct{}, 1), closed: make(chan struct{})}
}

// Next waits for the next batch. The first one is the snapshot: a created event
// for every job. Later batches are not empty. The errors are ErrClosed after
// Close of the subscription or the engine, that of ctx, and on the first call
// ErrStateRoot.
func (s *Subscription) Next(ctx context.Context) ([]Event, error) {
	if s.isClosed() {
		return nil, &Error{Op: "subscribe", Err: ErrClosed}
	}
	if !s.goOn() {
		return s.k.admit(ctx, s)
	}
	for {
		batch, wait := s.take()
		if batch != nil {
			s.k.e.markBinary(batch)
			return batch, nil
		}
		if err := s.sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// sleep waits until there may be something to read, or for so long if that is not 0.
func (s *Subscription) sleep(ctx context.Context, wait time.Duration) error {
	var pace <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		pace = timer.C
	}
	select {
	case <-s.wake:
	case <-pace:
	case <-s.closed:
		return &Error{Op: "subscribe", Err: ErrClosed}
	case <-s.k.e.life.Done():
		return &Error{Op: "subscribe", Err: ErrClosed}
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// Attend says that only these jobs are looked at closely, and the others at a
// glance, as by a person who has them in a list: of those what is not urgent is
// reported about once a second. Ends are reported as they are otherwise. After it the
// first Next connects to no holder, which leaves the processor to showing the snapshot;
// what holders know beyond that is reported when Next is called again. It may be called
// at any time, by anyone, and waits for nothing.
func (s *Subscription) Attend(ids ...ID) {
	looks := make(map[ID]bool, len(ids))
	for _, id := range ids {
		looks[id] = true
	}
	s.k.mu.Lock()
	defer s.k.mu.Unlock()
	s.looks = looks
	s.k.paceLocked()
}

// looksAtLocked reports whether the job is followed, and closely.
func (s *Subscription) looksAtLocked(id ID) bool {
	return s.follows(id) && (s.looks == nil || s.looks[id])
}

// take is what there is to read now, or how long until there may be: 0 is until
// woken.
func (s *Subscription) take() (batch []Event, wait time.Duration) {
	s.k.mu.Lock()
	defer s.k.mu.Unlock()
	if len(s.queue) == 0 {
		return nil, 0
	}
	now := time.Now()
	if rest := s.lastOut.Add(paceEvery).Sub(now); !s.urgent && rest > 0 {
		return nil, rest
	}
	batch = make([]Event, len(s.queue))
	for i, f := range s.queue {
		batch[i] = Event{Kind: f.kind, Job: f.of.job, Offset: f.offset, At: f.at, Note: f.note}
	}
	s.queue, s.urgent, s.lastOut = nil, false, now
	return batch, 0
}

// pushLocked adds facts of one job. What the queue has of a job does not grow with what
// the job does: a fact replaces one of its kind, unless something urgent happened
// between the two.
func (s *Subscription) pushLocked(t *tracker, facts []fact) {
	for _, f := range facts {
		f.of = t
		switch {
		case f.kind == EventRemoved:
			s.thinLocked(t, 0)
		case f.kind == EventAttention:
			s.thinLocked(t, maxNotes-1)
		case !f.kind.Urgent():
			s.supersedeLocked(f)
		}
		s.urgent = s.urgent || f.kind.Urgent()
		s.queue = append(s.queue, f)
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// supersedeLocked takes out what f replaces.
func (s *Subscription) supersedeLocked(f fact) {
	for i, old := range slices.Backward(s.queue) {
		switch {
		case old.of != f.of:
		case old.kind.Urgent():
			return
		case old.kind == f.kind:
			s.queue = slices.Delete(s.queue, i, i+1)
			return
		}
	}
}

// thinLocked leaves of a job at most that many notifications. If there are more it takes
// out the oldest, and with them all that later facts supersede.
func (s *Subscription) thinLocked(t *tracker, notes int) {
	had := 0
	for _, f := range s.queue {
		if f.of == t && f.kind == EventAttention {
			had++
		}
	}
	if had <= notes {
		return
	}
	seen := map[EventKind]int{}
	slices.Reverse(s.queue)
	s.queue = slices.DeleteFunc(s.queue, func(f fact) bool {
		if f.of != t {
			return false
		}
		seen[f.kind]++
		return f.kind == EventAttention && seen[f.kind] > notes || !f.kind.Urgent() && seen[f.kind] > 1
	})
	slices.Reverse(s.queue)
}

// follows reports whether the job's changes may have to be reported.
func (s *Subscription) follows(id ID) bool {
	return len(s.filter.IDs) == 0 || slices.Contains(s.filter.IDs, id)
}

// goOn has the jobs of the snapshot watched, if there was one.
func (s *Subscription) goOn() (admitted bool) {
	s.k.mu.Lock()
	defer s.k.mu.Unlock()
	s.k.watchLocked(s)
	return s.admitted
}

func (s *Subscription) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// Close ends the subscription; a waiting Next returns ErrClosed.
func (s *Subscription) Close() error {
	s.once.Do(func() {
		close(s.closed)
		s.k.leave(s)
	})
	return nil
}
