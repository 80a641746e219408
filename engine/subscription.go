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
	// maxNotes bounds the facts of one job that a job can cause as often as it
	// likes and that are never merged, while nobody reads: older ones go.
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
	queue   []Event
	merge   map[mergeKey]int // where in queue a fact can be merged into
	urgent  bool             // queue has an urgent fact
	lastOut time.Time        // when Next returned last
}

type mergeKey struct {
	id   ID
	kind EventKind
}

// Subscribe subscribes to the jobs that f selects. It does no work before the
// first Next. A job that stops or begins to be selected is told of in the fact
// that makes it so.
func (e *Engine) Subscribe(f Filter) *Subscription {
	return &Subscription{
		e: e, filter: f, wake: make(chan struct{}, 1), closed: make(chan struct{}), merge: map[mergeKey]int{},
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
	batch, s.queue = s.queue, nil
	clear(s.merge)
	s.urgent, s.lastOut = false, now
	latest := map[ID]Job{}
	for _, ev := range batch {
		latest[ev.Job.ID] = ev.Job
	}
	for i := range batch {
		batch[i].Job = latest[batch[i].Job.ID]
	}
	return batch, 0
}

// push adds facts of one job.
func (s *Subscription) push(events ...Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ev := range events {
		k := mergeKey{ev.Job.ID, ev.Kind}
		if ev.Kind.Urgent() {
			s.urgent = true
			// What comes later must not move before this fact.
			for _, kind := range mergedKinds() {
				delete(s.merge, mergeKey{ev.Job.ID, kind})
			}
			if ev.Kind == EventAttention {
				s.forgetNotes(ev.Job.ID)
			}
			s.queue = append(s.queue, ev)
			continue
		}
		if i, ok := s.merge[k]; ok {
			s.queue[i] = ev
			continue
		}
		s.merge[k] = len(s.queue)
		s.queue = append(s.queue, ev)
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func mergedKinds() []EventKind { return []EventKind{EventOutput, EventTitle, EventWaiting, EventLink} }

// forgetNotes makes room for one more notification of a job.
func (s *Subscription) forgetNotes(id ID) {
	count, oldest := 0, -1
	for i, ev := range s.queue {
		if ev.Job.ID == id && ev.Kind == EventAttention {
			if count++; oldest < 0 {
				oldest = i
			}
		}
	}
	if count < maxNotes {
		return
	}
	s.queue = append(s.queue[:oldest], s.queue[oldest+1:]...)
	for k, i := range s.merge {
		if i > oldest {
			s.merge[k] = i - 1
		}
	}
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
