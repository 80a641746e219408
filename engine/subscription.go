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
	e      *Engine
	filter Filter

	wake   chan struct{} // has a value when there may be something to read
	closed chan struct{}
	once   sync.Once

	mu      sync.Mutex  // guards what follows; taken with the hub's held
	hub     *hub        // nil before the first Next
	looks   map[ID]bool // see Attend; nil: at all jobs
	second  bool        // Next was called again
	queue   []fact
	jobs    map[ID]*told // of queue
	urgent  bool         // queue has an urgent fact
	lastOut time.Time    // when Next returned last
}

// fact is an event that nobody has read yet, without its job.
type fact struct {
	id     ID
	kind   EventKind
	offset int64
	at     time.Time
	note   Note
}

// told is what queue has of one job.
type told struct {
	job   Job
	merge map[EventKind]int // where in queue a fact can be merged into
	notes int
}

// Subscribe subscribes to the jobs that f selects. It does no work before the
// first Next. A job that stops or begins to be selected is told of in the fact
// that makes it so.
func (e *Engine) Subscribe(f Filter) *Subscription {
	return &Subscription{
		e: e, filter: f, wake: make(chan struct{}, 1), closed: make(chan struct{}), jobs: map[ID]*told{},
	}
}

// Next waits for the next batch. The first one is the snapshot: a created event
// for every job. Later batches are not empty. The errors are ErrClosed after
// Close of the subscription or the engine, that of ctx, and on the first call
// ErrStateRoot.
func (s *Subscription) Next(ctx context.Context) ([]Event, error) {
	if s.isClosed() {
		return nil, &Error{Op: "subscribe", Err: ErrClosed}
	}
	s.mu.Lock()
	h, second := s.hub, !s.second
	s.second = h != nil
	s.mu.Unlock()
	if h == nil {
		return s.begin(ctx)
	}
	if second {
		h.look() // what the snapshot did not wait for
	}
	for {
		batch, wait := s.take()
		if batch != nil {
			s.e.markBinary(batch)
			return batch, nil
		}
		var pace <-chan time.Time
		var timer *time.Timer
		if wait > 0 {
			timer = time.NewTimer(wait)
			pace = timer.C
		}
		var err error
		select {
		case <-s.wake:
		case <-pace:
		case <-s.closed:
			err = &Error{Op: "subscribe", Err: ErrClosed}
		case <-s.e.life.Done():
			err = &Error{Op: "subscribe", Err: ErrClosed}
		case <-ctx.Done():
			err = ctx.Err()
		}
		if timer != nil {
			timer.Stop()
		}
		if err != nil {
			return nil, err
		}
	}
}

// Attend says that only these jobs are looked at closely, and the others at a
// glance, as by a person who has them in a list. Of those what is not urgent is
// told about once a second; and a first Next that comes after it does not wait
// until they are in sight: the snapshot says how they stand by their records, and
// what their holders know beyond those is told when Next is called again. Ends are
// told as they are otherwise. It may be called at any time, by anyone, and waits
// for nothing.
func (s *Subscription) Attend(ids ...ID) {
	looks := make(map[ID]bool, len(ids))
	for _, id := range ids {
		looks[id] = true
	}
	s.mu.Lock()
	s.looks = looks
	h := s.hub
	s.mu.Unlock()
	if h != nil {
		h.pace()
	}
}

// glances reports whether not all jobs are looked at closely.
func (s *Subscription) glances() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.looks != nil
}

// looksAt reports whether the job is followed, and closely.
func (s *Subscription) looksAt(id ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.follows(id) && (s.looks == nil || s.looks[id])
}

// begin takes the snapshot.
func (s *Subscription) begin(ctx context.Context) ([]Event, error) {
	h, err := s.e.joinHub(s)
	if err != nil {
		return nil, err
	}
	batch, err := h.admit(ctx, s)
	if err != nil {
		s.e.leaveHub(h, s)
		return nil, err
	}
	return batch, nil
}

// take is what there is to read now, or how long until there may be: 0 is until
// woken.
func (s *Subscription) take() (batch []Event, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return nil, 0
	}
	now := time.Now()
	if rest := s.lastOut.Add(paceEvery).Sub(now); !s.urgent && rest > 0 {
		return nil, rest
	}
	batch = make([]Event, len(s.queue))
	for i, f := range s.queue {
		batch[i] = Event{Kind: f.kind, Job: s.jobs[f.id].job, Offset: f.offset, At: f.at, Note: f.note}
	}
	s.queue, s.jobs = nil, map[ID]*told{}
	s.urgent, s.lastOut = false, now
	return batch, 0
}

// push adds facts of one job. While nobody reads, what is kept of a job does not
// grow with what the job does: see keep.
func (s *Subscription) push(events ...Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ev := range events {
		id := ev.Job.ID
		t := s.jobs[id]
		if t == nil {
			t = &told{merge: map[EventKind]int{}}
			s.jobs[id] = t
		}
		t.job = ev.Job
		f := fact{id, ev.Kind, ev.Offset, ev.At, ev.Note}
		if !ev.Kind.Urgent() {
			if i, ok := t.merge[ev.Kind]; ok {
				s.queue[i] = f
				continue
			}
			t.merge[ev.Kind] = len(s.queue)
			s.queue = append(s.queue, f)
			continue
		}
		s.urgent = true
		switch ev.Kind {
		case EventAttention:
			if t.notes == maxNotes {
				s.keep(id, maxNotes-1)
				t.notes--
			}
			t.notes++
		case EventRemoved:
			s.keep(id, 0)
			t.notes = 0
		default:
		}
		clear(t.merge) // what comes later must not move before this fact
		s.queue = append(s.queue, f)
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// keep forgets of a job what later facts in queue supersede, and all but the last
// notifications.
func (s *Subscription) keep(id ID, notes int) {
	seen := map[EventKind]bool{}
	left := 0
	kept := s.queue[:0]
	for i := len(s.queue) - 1; i >= 0; i-- {
		f := s.queue[i]
		if f.id != id {
			continue
		}
		drop := false
		switch {
		case f.kind == EventAttention:
			if drop = left == notes; !drop {
				left++
			}
		case !f.kind.Urgent():
			drop, seen[f.kind] = seen[f.kind], true
		}
		if drop {
			s.queue[i].id = ""
		}
	}
	for _, t := range s.jobs {
		clear(t.merge)
	}
	for _, f := range s.queue {
		if f.id == "" {
			continue
		}
		if t := s.jobs[f.id]; f.kind.Urgent() {
			clear(t.merge)
		} else {
			t.merge[f.kind] = len(kept)
		}
		kept = append(kept, f)
	}
	clear(s.queue[len(kept):])
	s.queue = kept
}

// follows reports whether the job's changes may have to be told.
func (s *Subscription) follows(id ID) bool {
	return len(s.filter.IDs) == 0 || slices.Contains(s.filter.IDs, id)
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
		s.mu.Lock()
		h := s.hub
		s.mu.Unlock()
		if h != nil {
			s.e.leaveHub(h, s)
		}
	})
	return nil
}
