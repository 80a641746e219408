package engine

import (
	"context"
	"errors"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
)

const (
	activeTimeout = 2 * time.Second
	retryFirst    = 100 * time.Millisecond
	retryMost     = 5 * time.Second
)

// tracker has what this engine knows of one job, for its callers that wait for
// something of the job and for its subscriptions. One [Run.Watch] keeps it current as
// long as it is wanted. All fields but k and id are guarded by the lock of k.
type tracker struct {
	k       *tracking
	id      ID
	job     Job
	listed  bool          // subscriptions have been given the job
	waiters int           // callers of follow
	changed chan struct{} // closed at the next change; nil: no caller waits for it
	gone    bool          // removed, and how it ended is not known
	away    bool          // sent to the background by this engine
	shown   use           // what subscriptions were given last of what the job uses

	stop   context.CancelFunc // ends the watch; nil: there is none
	run    Run                // that is watched; nil: not opened yet
	near   bool               // run was asked for every change at once
	bells  int
	primed bool // bells is known
}

// follow keeps the job closely in sight until release is called. For one that has
// ended it does nothing. The error is ErrNotFound, or that of opening the run.
func (e *Engine) follow(ctx context.Context, id ID) (t *tracker, release func(), err error) {
	k := &e.tracking
	if t := k.joinWatch(id); t != nil {
		return t, func() { k.release(t) }, nil
	}
	run, j, err := e.open(ctx, "watch", id)
	if err != nil {
		return nil, nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	t = k.trackers[id]
	switch {
	case j.Status.Finished():
		return &tracker{k: k, id: id, job: j}, func() {}, nil
	case t == nil:
		t = &tracker{k: k, id: id, job: j}
		k.trackers[id] = t
	}
	if t.stop == nil && !t.job.Status.Finished() && !t.watchLocked(run) {
		return nil, nil, &Error{Op: "watch", Job: id, Err: ErrClosed}
	}
	t.waiters++
	t.paceLocked()
	return t, func() { k.release(t) }, nil
}

// joinWatch returns the tracker of a job that is watched already, with one more waiter.
func (k *tracking) joinWatch(id ID) *tracker {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.trackers[id]
	if t == nil || t.stop == nil {
		return nil
	}
	t.waiters++
	t.paceLocked()
	return t
}

func (k *tracking) release(t *tracker) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t.waiters--
	t.settleLocked()
}

// now is how the job stands, and a channel that is closed when that changes. The
// error is ErrNotFound for a job that was removed, unless its end is known.
func (t *tracker) now() (Job, <-chan struct{}, error) {
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	if t.gone {
		return t.job, t.changed, notFound(string(t.id))
	}
	return t.job, t.changed, nil
}

// sendAway has the callers of [Engine.Run] go on that wait for the job, before anything
// is recorded.
func (k *tracking) sendAway(id ID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if t := k.trackers[id]; t != nil {
		t.away = true
		t.wakeLocked()
	}
}

// sentAway reports whether this engine sent the job to the background.
func (t *tracker) sentAway() bool {
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	return t.away
}

// wakeLocked wakes the callers that wait for a change.
func (t *tracker) wakeLocked() {
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
}

// watchLocked begins to watch the job by run, or by a run of its own if that is nil. It
// reports false if the engine is closed.
func (t *tracker) watchLocked(run Run) bool {
	ctx, stop := context.WithCancel(t.k.e.life)
	if !t.k.e.goes(func() { t.watch(ctx, run) }) {
		stop()
		return false
	}
	t.gone, t.stop, t.run = false, stop, nil
	return true
}

// settleLocked ends a watch that is no longer wanted and forgets a job that no caller
// knows of.
func (t *tracker) settleLocked() {
	wanted := t.waiters > 0 || t.listed && t.k.wantedLocked(t.id)
	if t.stop != nil && !wanted {
		t.stop()
		t.stop, t.run, t.primed = nil, nil, false
	}
	if t.waiters == 0 && !t.listed && t.k.trackers[t.id] == t {
		delete(t.k.trackers, t.id)
	}
	t.paceLocked()
}

// paceLocked has the job watched as closely as it is looked at.
func (t *tracker) paceLocked() {
	g, ok := t.run.(Glancer)
	if near := t.waiters > 0 || t.k.lookedAtLocked(t.id); ok && near != t.near {
		t.near = near
		g.Glance(!near)
	}
}

// watch watches until the job has ended, cannot be watched, or ctx is done. Without a
// run it opens one.
func (t *tracker) watch(ctx context.Context, run Run) {
	defer t.unwatched(ctx)
	if run == nil {
		if run = t.open(ctx); run == nil {
			return // it is looked at from time to time, see tracking.incomplete
		}
	}
	for retry := retryFirst; t.begin(ctx, run); retry = min(2*retry, retryMost) {
		err := run.Watch(ctx, func(s State, note Note) {
			retry = retryFirst
			t.observe(ctx, s, note)
		})
		if ctx.Err() != nil {
			return
		}
		if err == nil || !errors.Is(err, ErrUnreachable) {
			// It ended, or can no longer be watched: the records know.
			if t.reread(ctx) {
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(retry):
		}
		if again := t.open(ctx); again != nil {
			run = again
		}
	}
}

// open finds the run of the job; nil if there is none now.
func (t *tracker) open(ctx context.Context) Run {
	run, _, err := t.k.e.open(ctx, "watch", t.id)
	if err != nil {
		return nil
	}
	return run
}

// begin makes run the one that is watched; false if none is to be.
func (t *tracker) begin(ctx context.Context, run Run) bool {
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	t.run = run
	if g, ok := run.(Glancer); ok {
		t.near = t.waiters > 0 || t.k.lookedAtLocked(t.id)
		g.Glance(!t.near)
	}
	return true
}

// unwatched ends a watch that ended by itself.
func (t *tracker) unwatched(ctx context.Context) {
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	if ctx.Err() == nil {
		t.stop()
		t.stop, t.run, t.primed = nil, nil, false
	}
}

// observe takes in what the backend sees. An end is published only as it is recorded.
func (t *tracker) observe(ctx context.Context, s State, note Note) {
	t.k.mu.Lock()
	j := observed(t.job, s)
	attention := t.primed && s.Bells > t.bells || note != Note{}
	if ctx.Err() == nil {
		t.bells, t.primed = s.Bells, true
	}
	t.k.mu.Unlock()
	if j.Status.Finished() {
		known := false
		if j, known = t.ended(j); !known {
			t.vanish(ctx)
			return
		}
	}
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	if ctx.Err() == nil {
		t.updateLocked(step{new: j, note: note, attention: attention})
	}
}

// ended is the job with the end that its records have, which may be more exact
// than what was seen; if they have none it is recorded now. It reports false for a
// job that was removed, with its records, before anything was seen of its end.
func (t *tracker) ended(j Job) (with Job, known bool) {
	e := t.k.e
	rec, err := e.recordAnywhere(t.id)
	switch {
	case errors.Is(err, ErrNotFound):
		return j, j.Status != Lost
	case err != nil:
		return j, true
	case rec.Finished():
		return e.jobOf(rec), true
	}
	return e.settle(rec, j), true
}

// reread takes the job from its records and from a look of its backend, and
// reports whether nothing more is to be seen of it.
func (t *tracker) reread(ctx context.Context) (over bool) {
	e := t.k.e
	rec, err := e.recordAnywhere(t.id)
	if err != nil {
		if errors.Is(err, ErrNotFound) {
			t.vanish(ctx)
			return true
		}
		return false
	}
	j, there := e.jobOf(rec), true
	if !rec.Finished() {
		j, there = e.observe(ctx, []*jobdir.Record{rec})[rec.ID]
	}
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	if ctx.Err() != nil || !there {
		return false
	}
	t.updateLocked(step{new: j})
	return j.Status.Finished()
}

// vanish tells the waiters that the job was removed, unless it has ended.
func (t *tracker) vanish(ctx context.Context) {
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	if ctx.Err() == nil && !t.job.Status.Finished() {
		t.gone = true
		t.wakeLocked()
	}
}

// updateLocked takes in how the job stands now and passes on what that changes.
func (t *tracker) updateLocked(s step) {
	s.old = t.job
	if !mayFollow(s.old.Status, s.new.Status) {
		return // what finished stays so, whatever a late look says
	}
	if s.old.Status.Finished() {
		if !s.attention {
			return
		}
		s.new = s.old
	}
	if !s.new.Status.Finished() { // what is measured is not the backend's
		s.new.CPU, s.new.RSS, s.new.Ports = s.old.CPU, s.old.RSS, s.old.Ports
	}
	// The directory and the run are read by different goroutines, and either may be
	// late: what never goes back is passed on once.
	s.new.Backgrounded = s.new.Backgrounded || s.old.Backgrounded
	s.new.Output, s.new.Dropped = max(s.new.Output, s.old.Output), max(s.new.Dropped, s.old.Dropped)
	t.job = s.new
	t.wakeLocked()
	t.k.stirred = t.k.stirred || s.new.Output > s.old.Output
	if t.listed {
		t.publishLocked(&s.old, changes(s, t.k.e.cfg.now()))
	}
}

// publishLocked gives facts to the subscriptions that select the job as it is now, or
// selected it as it was.
func (t *tracker) publishLocked(old *Job, facts []fact) {
	if len(facts) == 0 {
		return
	}
	for s := range t.k.subs {
		if s.filter.selects(&t.job) || old != nil && s.filter.selects(old) {
			s.pushLocked(t, facts)
		}
	}
}
