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

// tracker has the current state of one job, for callers that wait for the job and for
// subscriptions. One [Run.Watch] keeps it current while it is needed. All fields but k and id are
// guarded by the lock of k.
type tracker struct {
	k            *tracking
	id           ID
	job          Job
	listed       bool          // subscriptions have received the job
	waiters      int           // callers of follow
	changed      chan struct{} // closed at the next change; nil if no caller waits for it
	removed      bool          // removed, and its end is not known
	backgrounded bool          // sent to the background by this engine
	published    use           // usage last published to subscriptions

	stop       context.CancelFunc // ends the watch; nil if there is none
	run        Run                // the watched run; nil: not opened yet
	prompt     bool               // run reports every change promptly
	bells      int
	bellsKnown bool // the first bell count was received
}

// follow watches the job closely until release is called. For a job that has ended it does nothing.
// It returns ErrNotFound or the error of opening the run.
func (h *Handle) follow(ctx context.Context) (t *tracker, release func(), err error) {
	k := &h.e.tracking
	run, j, err := h.open(ctx, "watch")
	if err != nil {
		return nil, nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	t = k.trackers[h.id]
	switch {
	case j.Status.Finished():
		return &tracker{k: k, id: h.id, job: j}, func() {}, nil
	case t == nil:
		t = &tracker{k: k, id: h.id, job: j}
		k.trackers[h.id] = t
	}
	if t.unwatchedLocked() && !t.watchLocked(run) {
		return nil, nil, &Error{Op: "watch", Job: h.id, Err: ErrClosed}
	}
	t.waiters++
	t.paceLocked()
	return t, func() { k.release(t) }, nil
}

func (k *tracking) release(t *tracker) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t.waiters--
	t.releaseLocked()
}

// now returns the job's state and a channel that is closed when the state changes. It returns
// ErrNotFound for a job that was removed, unless its end is known.
func (t *tracker) now() (Job, <-chan struct{}, error) {
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	j := t.job
	if t.backgrounded {
		j.Backgrounded = true
	}
	if t.removed {
		return j, t.changed, notFound(string(t.id))
	}
	return j, t.changed, nil
}

// markBackgrounded makes callers of [Engine.Run] that wait for the job return, before the
// background is recorded.
func (k *tracking) markBackgrounded(id ID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if t := k.trackers[id]; t != nil {
		t.backgrounded = true
		t.wakeLocked()
	}
}

// wakeLocked wakes callers that wait for a change.
func (t *tracker) wakeLocked() {
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
}

// watchLocked starts watching the job, with run if it is not nil. It reports false if the engine is
// closed.
func (t *tracker) watchLocked(run Run) bool {
	ctx, stop := context.WithCancel(t.k.e.runCtx)
	if !t.k.e.spawn(func() { t.watch(ctx, run) }) {
		stop()
		return false
	}
	t.removed, t.stop, t.run = false, stop, nil
	return true
}

// releaseLocked ends a watch that is no longer needed and removes an unused tracker.
func (t *tracker) releaseLocked() {
	if t.waiters > 0 {
		t.paceLocked()
		return
	}
	if wanted := t.listed && t.k.wantedLocked(t.id); t.stop != nil && !wanted {
		t.unwatchLocked()
	}
	if !t.listed && t.k.trackers[t.id] == t {
		delete(t.k.trackers, t.id)
	}
	t.paceLocked()
}

// promptLocked reports whether a client needs changes promptly.
func (t *tracker) promptLocked() bool { return t.waiters > 0 || t.k.attendedLocked(t.id) }

// paceLocked throttles the watch unless a client needs prompt changes.
func (t *tracker) paceLocked() {
	g, ok := t.run.(Throttler)
	if prompt := t.promptLocked(); ok && prompt != t.prompt {
		t.prompt = prompt
		g.Throttle(!prompt)
	}
}

// watch watches until the job has ended, cannot be watched, or ctx is done. If run is nil, it opens
// one.
func (t *tracker) watch(ctx context.Context, run Run) {
	defer t.watchEnded(ctx)
	if run == nil {
		if run = t.open(ctx); run == nil {
			return // tracking.incomplete retries from time to time
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
		if !errors.Is(err, ErrUnreachable) {
			// It has ended or can no longer be watched: the records have the outcome.
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

// open returns the run of the job, or nil if there is none now.
func (t *tracker) open(ctx context.Context) Run {
	run, _, err := t.k.e.Handle(t.id).open(ctx, "watch")
	if err != nil {
		return nil
	}
	return run
}

// begin makes run the watched run; false if the watch was ended.
func (t *tracker) begin(ctx context.Context, run Run) bool {
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	t.run = run
	if g, ok := run.(Throttler); ok {
		t.prompt = t.promptLocked()
		g.Throttle(!t.prompt)
	}
	return true
}

// watchEnded cleans up after a watch that ended on its own.
func (t *tracker) watchEnded(ctx context.Context) {
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	if ctx.Err() == nil {
		t.unwatchLocked()
	}
}

func (t *tracker) unwatchLocked() {
	t.stop()
	t.stop, t.run, t.bellsKnown = nil, nil, false
}

// observe applies what the backend reports. An end is published only as recorded.
func (t *tracker) observe(ctx context.Context, s State, note Note) {
	t.k.mu.Lock()
	j := observed(t.job, s)
	attention := t.bellsKnown && s.Bells > t.bells || note != Note{}
	if ctx.Err() == nil {
		t.bells, t.bellsKnown = s.Bells, true
	}
	t.k.mu.Unlock()
	if j.Status.Finished() {
		known := false
		if j, known = t.ended(j); !known {
			t.markRemoved(ctx)
			return
		}
	}
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	if ctx.Err() == nil {
		t.updateLocked(change{new: j, note: note, attention: attention})
	}
}

// ended returns the job with its recorded end, which may be more exact than what was observed; if
// there is none, it is recorded now. It reports false for a job that was removed, with its records,
// before its end was observed.
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
	return e.recordEnd(rec, j), true
}

// reread updates the job from its records and its backend, and reports whether nothing more will
// change.
func (t *tracker) reread(ctx context.Context) (over bool) {
	e := t.k.e
	rec, err := e.recordAnywhere(t.id)
	if err != nil {
		if errors.Is(err, ErrNotFound) {
			t.markRemoved(ctx)
			return true
		}
		return false
	}
	j, there := e.jobOf(rec), true
	if !rec.Finished() {
		j, there = e.observe(ctx, []*jobdir.Record{rec}, false)[rec.ID]
	}
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	if ctx.Err() != nil || !there {
		return false
	}
	t.updateLocked(change{new: j})
	return j.Status.Finished()
}

// markRemoved notifies the waiters that the job was removed, unless it has ended.
func (t *tracker) markRemoved(ctx context.Context) {
	t.k.mu.Lock()
	defer t.k.mu.Unlock()
	if ctx.Err() == nil && !t.job.Status.Finished() {
		t.removed = true
		t.wakeLocked()
	}
}

// updateLocked applies a change and publishes the resulting facts.
func (t *tracker) updateLocked(c change) {
	c.old = t.job
	if !mayFollow(c.old.Status, &c.new.State) {
		return // an end is final, whatever a late observation reports
	}
	if c.old.Status.Finished() {
		if !c.attention {
			return
		}
		c.new = c.old
	}
	if !c.new.Status.Finished() { // usage does not come from the backend
		c.new.CPU, c.new.RSS, c.new.Ports = c.old.CPU, c.old.RSS, c.old.Ports
	}
	// The directory and the run are read by different goroutines, and either may be stale: apply
	// transitions that cannot be reversed only once.
	if c.old.Backgrounded {
		c.new.Backgrounded = true
	}
	c.new.Output, c.new.Dropped = max(c.new.Output, c.old.Output), max(c.new.Dropped, c.old.Dropped)
	if c.new.Line == "" && c.new.Runs.Number() == c.old.Runs.Number() { // the records do not have it
		c.new.Line = c.old.Line
	}
	t.job = c.new
	t.wakeLocked()
	if t.listed {
		t.publishLocked(&c.old, factsOf(c, t.k.e.cfg.now()))
	}
}

// publishLocked passes facts to the subscriptions that select the job now or selected it before.
func (t *tracker) publishLocked(old *Job, facts []fact) {
	if len(facts) == 0 {
		return
	}
	for s := range t.k.subs {
		if s.filter.Selects(&t.job) || old != nil && s.filter.Selects(old) {
			s.pushLocked(t, facts)
		}
	}
}
