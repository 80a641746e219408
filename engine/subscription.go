package engine

import (
	"context"
	"slices"
	"time"
)

const (
	// paceEvery is the minimum time between two batches without an urgent event.
	paceEvery = 33 * time.Millisecond
	// maxNotes bounds the unread notifications of one job, which can send any number and which are
	// never merged: older ones are dropped.
	maxNotes = 32
)

// Subscription delivers events to one reader; see the package comment. Next must not be called
// concurrently with itself; Close may be called at any time.
type Subscription struct {
	k      *tracking
	filter Filter

	wake  chan struct{}   // has a value when there may be something to read
	life  context.Context // ends with Close, and with the engine
	close context.CancelFunc

	// Guarded by the lock of k.
	admitted  bool        // the snapshot was delivered
	unwatched []Job       // in the snapshot, and not watched yet
	attended  map[ID]bool // see Attend; nil: all jobs
	measured  map[ID]bool // see Measure; nil: all jobs
	queue     []fact
	urgent    bool      // queue contains an urgent event
	lastOut   time.Time // when Next last returned
}

// Subscribe subscribes to the jobs that f selects. It does no work before the first Next. If a
// change makes a job start or stop matching the filter, that event is still delivered.
func (e *Engine) Subscribe(f Filter) *Subscription {
	s := &Subscription{k: &e.tracking, filter: f, wake: make(chan struct{}, 1)}
	s.life, s.close = context.WithCancel(e.runCtx)
	return s
}

// Next waits for the next batch. The first one is the snapshot: a created event for every job.
// Later batches are not empty. Next returns ErrClosed after Close of the subscription or the
// engine, the error of ctx, and on the first call ErrStateDir.
func (s *Subscription) Next(ctx context.Context) ([]Event, error) {
	if s.life.Err() != nil {
		return nil, &Error{Op: "subscribe", Err: ErrClosed}
	}
	if !s.watchSnapshot() {
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

// sleep waits until there may be something to read, or until wait has elapsed if it is not 0.
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
	case <-s.life.Done():
		return &Error{Op: "subscribe", Err: ErrClosed}
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// Attend limits prompt delivery to these jobs, usually those on screen; changes of other jobs that
// are not urgent are reported about once a second. Ends are always reported at once. After Attend
// the first Next connects to no holder, so that the snapshot is available sooner; the more recent state
// that the holders have is reported by later calls. Attend may be called at any time, concurrently, and
// does not block.
func (s *Subscription) Attend(ids ...ID) {
	attended := make(map[ID]bool, len(ids))
	for _, id := range ids {
		attended[id] = true
	}
	s.k.mu.Lock()
	defer s.k.mu.Unlock()
	s.attended = attended
	s.k.paceLocked()
}

// attendsLocked reports whether the job matches and its changes are reported promptly.
func (s *Subscription) attendsLocked(id ID) bool {
	return s.covers(id) && (s.attended == nil || s.attended[id])
}

// take returns what there is to read now, or how long until there may be something: 0 means until
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
		batch[i] = Event{
			Kind:    f.kind,
			Job:     f.of.job,
			Offset:  f.offset,
			At:      f.at,
			Note:    f.note,
			Exit:    f.exit,
			Program: f.said,
		}
	}
	s.queue, s.urgent, s.lastOut = nil, false, now
	return batch, 0
}

// pushLocked adds facts of one job. The queue's size does not depend on how much the job does: a
// fact replaces an earlier one of its kind, unless an urgent one is between them.
func (s *Subscription) pushLocked(t *tracker, facts []fact) {
	for _, f := range facts {
		f.of = t
		switch {
		case f.kind == EventRemoved:
			s.limitNotesLocked(t, 0)
		case f.kind == EventAttention:
			s.limitNotesLocked(t, maxNotes-1)
		case !f.kind.urgent():
			f.said.From = s.supersedeLocked(f)
		}
		if f.kind.urgent() {
			s.urgent = true
		}
		s.queue = append(s.queue, f)
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// supersedeLocked removes the fact that f replaces. It returns from what the program's state has changed, over both.
func (s *Subscription) supersedeLocked(f fact) (from ProgramState) {
	for i, old := range slices.Backward(s.queue) {
		switch {
		case old.of != f.of:
		case old.kind.urgent():
			return f.said.From
		case old.kind == f.kind:
			s.queue = slices.Delete(s.queue, i, i+1)
			return old.said.From
		}
	}
	return f.said.From
}

// limitNotesLocked limits a job to that many notifications. It removes the oldest ones, and with
// them all facts that later facts supersede.
func (s *Subscription) limitNotesLocked(t *tracker, notes int) {
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
		switch {
		case f.kind == EventAttention:
			return seen[f.kind] > notes
		case f.kind.urgent():
			return false
		}
		return seen[f.kind] > 1
	})
	slices.Reverse(s.queue)
}

// covers reports whether changes of the job may have to be reported.
func (s *Subscription) covers(id ID) bool {
	return listed(s.filter.IDs, id)
}

// watchSnapshot starts watching the jobs of the snapshot, if there was one.
func (s *Subscription) watchSnapshot() (admitted bool) {
	s.k.mu.Lock()
	defer s.k.mu.Unlock()
	s.k.watchJobsLocked(s.unwatched)
	s.unwatched = nil
	return s.admitted
}

// Close ends the subscription; a waiting Next returns ErrClosed.
func (s *Subscription) Close() error {
	s.close()
	s.k.leave(s)
	return nil
}
