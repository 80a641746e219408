package engine

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/watch"
)

const (
	// rescanEvery is the least time between two looks at the jobs directory.
	rescanEvery = 10 * time.Millisecond
	// latecomers is how often directories are looked at again that had no
	// meta.json yet, and hosts whose jobs are not followed.
	latecomers = time.Second
)

// hub knows all jobs for the subscriptions of an engine: it watches the jobs
// directory, follows each job that has not ended, and tells the subscriptions
// what changed. It lives as long as there are any.
type hub struct {
	e    *Engine
	refs int // guarded by e.mu
	stop context.CancelFunc
	done chan struct{} // closed when run has returned

	poke    chan struct{} // asks for a look at the directory, and at what nobody follows yet
	loaded  chan struct{} // closed when jobs is complete
	stirred chan struct{} // has a value when a job has printed since it was received
	err     error         // why it could not be loaded; set before loaded is closed

	mu    sync.Mutex // guards what follows; taken with e.mu held, never the other way round
	jobs  map[ID]*known
	subs  map[*Subscription]struct{}
	wants map[*Subscription]struct{} // subs, and those that wait for the snapshot
	stale bool                       // jobs that nobody follows may have changed since they were read

	paceMu sync.Mutex // of the looks of known
}

type known struct {
	job     Job
	use     use     // that was told last
	tried   bool    // to follow it
	release func()  // of the follow; nil if it is not followed
	f       *follow // guarded by paceMu, as whether it looks closely
	looks   bool
}

// joinHub returns the hub for s, started if need be. leaveHub is its counterpart.
func (e *Engine) joinHub(s *Subscription) (*hub, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, &Error{Op: "subscribe", Err: ErrClosed}
	}
	if e.hub == nil {
		ctx, stop := context.WithCancel(e.life)
		h := &hub{
			e: e, stop: stop, done: make(chan struct{}), poke: make(chan struct{}, 1), loaded: make(chan struct{}), stirred: make(chan struct{}, 1),
			jobs: map[ID]*known{}, subs: map[*Subscription]struct{}{}, wants: map[*Subscription]struct{}{s: {}},
		}
		e.goesLocked(func() { h.run(ctx) })
		e.hub = h
	}
	e.hub.refs++
	e.hub.mu.Lock()
	e.hub.wants[s] = struct{}{}
	e.hub.mu.Unlock()
	return e.hub, nil
}

func (e *Engine) leaveHub(h *hub, s *Subscription) {
	h.mu.Lock()
	delete(h.wants, s)
	delete(h.subs, s)
	h.mu.Unlock()
	h.pace()
	e.mu.Lock()
	h.refs--
	last := h.refs == 0
	if last && e.hub == h {
		e.hub = nil
	}
	e.mu.Unlock()
	if last {
		h.close()
	}
}

// changed has the subscriptions told soon of what this engine did itself.
func (e *Engine) changed() {
	e.mu.Lock()
	h := e.hub
	e.mu.Unlock()
	if h != nil {
		h.look()
	}
}

func (h *hub) look() {
	select {
	case h.poke <- struct{}{}:
	default:
	}
}

func (h *hub) close() {
	h.stop()
	<-h.done
}

// admit waits for the jobs to be known and makes s one of the subscriptions, in
// the same breath in which it takes the snapshot.
func (h *hub) admit(ctx context.Context, s *Subscription) ([]Event, error) {
	select {
	case <-h.loaded:
	case <-h.done:
		return nil, &Error{Op: "subscribe", Err: ErrClosed}
	case <-s.closed:
		return nil, &Error{Op: "subscribe", Err: ErrClosed}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if h.err != nil {
		return nil, h.err
	}
	h.catchUp(ctx, s)
	h.mu.Lock()
	defer h.mu.Unlock()
	batch := make([]Event, 0, len(h.jobs))
	for _, k := range h.jobs {
		if s.filter.selects(&k.job) {
			batch = append(batch, Event{Kind: EventCreated, Job: k.job, Offset: k.job.Output, At: k.job.CreatedAt})
		}
	}
	sortEvents(batch)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed() {
		return nil, &Error{Op: "subscribe", Err: ErrClosed}
	}
	h.subs[s] = struct{}{}
	s.hub, s.lastOut = h, time.Now()
	return batch, nil
}

// catchUp begins to follow what only s wants, so that the snapshot is current. For
// one that only glances at the jobs it is enough that they were just read.
func (h *hub) catchUp(ctx context.Context, s *Subscription) {
	h.mu.Lock()
	stale := h.stale
	h.stale = true
	var behind []ID
	for id, k := range h.jobs {
		if k.release == nil && !k.job.Status.Finished() && s.follows(id) {
			behind = append(behind, id)
		}
	}
	h.mu.Unlock()
	for _, id := range behind {
		if stale {
			if j, err := h.e.read(ctx, id); err == nil {
				h.learn(j, false)
			}
		}
		if !s.glances() {
			h.join(ctx, id)
		}
	}
	h.pace()
}

// wantedLocked reports whether anybody would be told of the job: `hob run` need
// not connect to every other job that runs.
func (h *hub) wantedLocked(id ID) bool {
	for s := range h.wants {
		if s.follows(id) {
			return true
		}
	}
	return false
}

// run keeps jobs current until ctx is done.
func (h *hub) run(ctx context.Context) {
	defer close(h.done)
	defer h.stop()
	w := watch.Dir(h.e.root.Jobs())
	defer w.Close()
	defer h.releaseAll()
	err := h.load(ctx)
	h.err = err
	close(h.loaded)
	if err != nil {
		h.e.mu.Lock() // the next subscription tries again
		if h.e.hub == h {
			h.e.hub = nil
		}
		h.e.mu.Unlock()
		return
	}
	h.e.sweepSometimes()
	if every := h.e.cfg.usage; every > 0 {
		var measuring sync.WaitGroup
		measuring.Go(func() { h.measureAll(ctx, every) })
		defer measuring.Wait() // ctx is done by then, see the caller of stop
	}
	late := time.NewTicker(latecomers)
	defer late.Stop()
	for {
		var again <-chan time.Time
		if h.incomplete() {
			again = late.C
		}
		select {
		case <-ctx.Done():
			return
		case <-w.C:
		case <-h.poke:
		case <-again:
		}
		if err := h.scan(ctx); err != nil && ctx.Err() == nil {
			h.e.log.Warn("the jobs cannot be listed", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(rescanEvery):
		}
	}
}

// incomplete reports whether there are unfinished jobs that nothing follows.
func (h *hub) incomplete() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, k := range h.jobs {
		if k.release == nil && !k.job.Status.Finished() && h.wantedLocked(id) {
			return true
		}
	}
	return false
}

// load makes the jobs known that there are. Nobody is told: they are the snapshot.
func (h *hub) load(ctx context.Context) error {
	jobs, err := h.e.List(ctx, Filter{})
	if err != nil {
		return err
	}
	for _, j := range jobs {
		h.learn(j, true)
	}
	return nil
}

// scan compares the jobs there are with those known, and begins to follow those
// that nobody follows: first what is looked at, then the newest.
func (h *hub) scan(ctx context.Context) error {
	ids, err := h.e.root.IDs()
	if err != nil {
		return rootError(err)
	}
	there := make(map[ID]bool, len(ids))
	for _, id := range ids {
		there[ID(id)] = true
	}
	for _, id := range h.unsettled(ids) {
		if h.triedOrNew(id) {
			j, err := h.e.read(ctx, id)
			if err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				continue // gone again, or still in the making
			}
			h.learn(j, false)
		}
		h.join(ctx, id)
	}
	h.removeExcept(there)
	return nil
}

// unsettled are those of ids that are not known, or that nobody follows yet though
// somebody wants it: first those that are looked at, then the newest.
func (h *hub) unsettled(ids []string) []ID {
	h.mu.Lock()
	defer h.mu.Unlock()
	type open struct {
		id     ID
		looked bool
		at     time.Time
	}
	var found []open
	for _, s := range ids {
		id := ID(s)
		k := h.jobs[id]
		switch {
		case k == nil:
			found = append(found, open{id, true, time.Time{}})
		case k.release == nil && !k.job.Status.Finished() && h.wantedLocked(id):
			found = append(found, open{id, h.lookedAtLocked(id), k.job.CreatedAt})
		}
	}
	slices.SortStableFunc(found, func(a, b open) int {
		if a.looked != b.looked {
			if a.looked {
				return -1
			}
			return 1
		}
		return b.at.Compare(a.at)
	})
	order := make([]ID, len(found))
	for i, o := range found {
		order[i] = o.id
	}
	return order
}

// triedOrNew reports whether a job has to be read: one that is known is by whoever
// follows it, if that is possible.
func (h *hub) triedOrNew(id ID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	k := h.jobs[id]
	return k == nil || k.tried
}

// learn takes in a job as it is read from its directory.
func (h *hub) learn(j Job, quiet bool) {
	var sent *jobdir.Fact
	if !quiet && !h.knows(j.ID) {
		if at, ok := h.e.sentAway(j); ok {
			sent = &at
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if k := h.jobs[j.ID]; k != nil {
		h.updateLocked(k, step{old: k.job, new: j})
		return
	}
	h.jobs[j.ID] = &known{job: j}
	if !quiet {
		h.tellLocked(Job{}, j, birth(j, sent, h.e.cfg.now())...)
	}
}

func (h *hub) knows(id ID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.jobs[id] != nil
}

// heard takes in what a follow says.
func (h *hub) heard(id ID, s step) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if k := h.jobs[id]; k != nil {
		h.updateLocked(k, s)
	}
}

func (h *hub) updateLocked(k *known, s step) {
	s.old = k.job                 // what was told last, whoever told it
	if !s.new.Status.Finished() { // what is measured is not the backend's
		s.new.CPU, s.new.RSS, s.new.Ports = s.old.CPU, s.old.RSS, s.old.Ports
	}
	if checkStep(s.old.Status, s.new.Status) != nil {
		return
	}
	if s.old.Status.Finished() {
		s.new = s.old
	}
	// Who reads the directory and who follows the job may be told in either order:
	// what never goes back is told once.
	s.new.Backgrounded = s.new.Backgrounded || s.old.Backgrounded
	s.new.Output, s.new.Dropped = max(s.new.Output, s.old.Output), max(s.new.Dropped, s.old.Dropped)
	k.job = s.new
	if s.new.Output > s.old.Output {
		select {
		case h.stirred <- struct{}{}:
		default:
		}
	}
	h.tellLocked(s.old, s.new, changes(s, h.e.cfg.now())...)
}

func (h *hub) tellLocked(old, new Job, events ...Event) {
	if len(events) == 0 {
		return
	}
	for s := range h.subs {
		if s.filter.selects(&new) || old.ID != "" && s.filter.selects(&old) {
			s.push(events...)
		}
	}
}

func (h *hub) removeExcept(there map[ID]bool) {
	h.mu.Lock()
	var release []func()
	for id, k := range h.jobs {
		if there[id] {
			continue
		}
		delete(h.jobs, id)
		if k.release != nil {
			release = append(release, k.release)
		}
		h.tellLocked(k.job, k.job, Event{Kind: EventRemoved, Job: k.job, Offset: k.job.Output, At: h.e.cfg.now()})
	}
	h.mu.Unlock()
	for _, r := range release {
		r()
	}
}

func (h *hub) releaseAll() {
	h.mu.Lock()
	var release []func()
	for _, k := range h.jobs {
		if k.release != nil {
			release = append(release, k.release)
		}
	}
	h.mu.Unlock()
	for _, r := range release {
		r()
	}
}
