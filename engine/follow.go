package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
)

const (
	activeTimeout = 2 * time.Second
	retryFirst    = 100 * time.Millisecond
	retryMost     = 5 * time.Second
)

// follow keeps one job that has not ended in sight, for everybody in this engine
// who waits for something of it: one [Run.Watch], as long as anybody cares.
type follow struct {
	e    *Engine
	id   ID
	stop context.CancelFunc // ends watch
	refs int                // guarded by e.mu

	lookMu sync.Mutex // guards what follows
	looks  int        // those of refs that look closely
	run    Run        // that is watched

	mu      sync.Mutex // guards what follows
	job     Job
	bells   int
	gone    bool          // it was removed, and how it ended is not known
	primed  bool          // there was a first observation
	changed chan struct{} // closed and replaced at each change
	heard   map[int]func(step)
	next    int
}

// step is one change of a job. Listeners get steps one at a time, in order.
type step struct {
	old, new  Job
	note      Note
	attention bool
}

// follow keeps the job closely in sight until release is called. For one that has
// ended it does nothing. The error is ErrNotFound, or that of opening the run.
func (e *Engine) follow(ctx context.Context, id ID) (f *follow, release func(), err error) {
	f, leave, err := e.glanceAt(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	f.look(1)
	return f, sync.OnceFunc(func() {
		f.look(-1)
		leave()
	}), nil
}

// glanceAt is follow for who need not hear at once of what is not urgent, as long
// as there is no look at it.
func (e *Engine) glanceAt(ctx context.Context, id ID) (f *follow, release func(), err error) {
	e.mu.Lock()
	if f = e.follows[id]; f != nil {
		f.refs++
		e.mu.Unlock()
		return f, sync.OnceFunc(func() { e.unfollow(f) }), nil
	}
	e.mu.Unlock()
	run, j, err := e.open(ctx, "watch", id)
	if err != nil {
		return nil, nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if f = e.follows[id]; f == nil {
		f = &follow{e: e, id: id, job: j, changed: make(chan struct{}), heard: map[int]func(step){}}
		if j.Status.Finished() {
			return f, func() {}, nil
		}
		life, stop := context.WithCancel(e.life)
		f.stop = stop
		if !e.goesLocked(func() { f.watch(life, run) }) {
			stop()
			return nil, nil, &Error{Op: "watch", Job: id, Err: ErrClosed}
		}
		e.follows[id] = f
	}
	f.refs++
	return f, sync.OnceFunc(func() { e.unfollow(f) }), nil
}

func (e *Engine) unfollow(f *follow) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f.refs--
	if f.refs == 0 {
		f.stop()
		if e.follows[f.id] == f {
			delete(e.follows, f.id)
		}
	}
}

// now is how the job stands, and a channel that is closed when that changes. The
// error is ErrNotFound for a job that was removed, unless its end is known.
func (f *follow) now() (Job, <-chan struct{}, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gone {
		return f.job, f.changed, notFound(string(f.id))
	}
	return f.job, f.changed, nil
}

// listen has fn called with every step from the returned job on, in the follow's
// own goroutine. fn must not block.
func (f *follow) listen(fn func(step)) (Job, func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.next
	f.next++
	f.heard[n] = fn
	return f.job, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.heard, n)
	}
}

// look adds to those who look closely.
func (f *follow) look(n int) {
	f.lookMu.Lock()
	defer f.lookMu.Unlock()
	f.looks += n
	f.paceLocked()
}

func (f *follow) paceLocked() {
	if g, ok := f.run.(Glancer); ok {
		g.Glance(f.looks == 0)
	}
}

// watch watches until the job has ended or ctx is done.
func (f *follow) watch(ctx context.Context, run Run) {
	retry := retryFirst
	for {
		f.lookMu.Lock()
		f.run = run
		f.paceLocked()
		f.lookMu.Unlock()
		err := run.Watch(ctx, func(o Observation) {
			retry = retryFirst
			f.observe(o)
		})
		if ctx.Err() != nil {
			return
		}
		if err == nil || !errors.Is(err, ErrUnreachable) {
			// It ended, or can no longer be watched: the records know.
			if f.reread(ctx) {
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(retry):
		}
		retry = min(2*retry, retryMost)
		if again, _, err := f.e.open(ctx, "watch", f.id); err == nil {
			run = again
		}
	}
}

// observe takes in what the backend sees. An end is told only as it is recorded.
func (f *follow) observe(o Observation) {
	f.mu.Lock()
	j := observed(f.job, o)
	attention := f.primed && o.Bells > f.bells || o.Note != Note{}
	f.bells, f.primed = o.Bells, true
	f.mu.Unlock()
	if j.Status.Finished() {
		known := false
		if j, known = f.ended(j); !known {
			f.vanish()
			return
		}
	}
	f.tell(j, o.Note, attention)
}

// ended is the job with the end that its records have, which may be more exact
// than what was seen; if they have none it is recorded now. It reports false for a
// job that was removed, with its records, before anything was seen of its end.
func (f *follow) ended(j Job) (with Job, known bool) {
	rec, err := f.e.recordAnywhere(f.id)
	switch {
	case errors.Is(err, ErrNotFound):
		return j, j.Status != Lost
	case err != nil:
		return j, true
	case rec.Finished():
		return f.e.jobOf(rec), true
	}
	return f.e.settle(rec, j), true
}

// reread takes the job from its records and from a look of its backend, and
// reports whether it has ended.
func (f *follow) reread(ctx context.Context) bool {
	rec, err := f.e.recordAnywhere(f.id)
	if err != nil {
		if errors.Is(err, ErrNotFound) {
			f.vanish()
			return true
		}
		return false
	}
	j, there := f.e.jobOf(rec), true
	if !rec.Finished() {
		j, there = f.e.observe(ctx, []*jobdir.Record{rec})[rec.ID]
	}
	if ctx.Err() != nil || !there {
		return false
	}
	f.tell(j, Note{}, false)
	return j.Status.Finished()
}

// vanish publishes that the job was removed, unless it has ended.
func (f *follow) vanish() {
	f.mu.Lock()
	if !f.job.Status.Finished() && !f.gone {
		f.gone = true
		close(f.changed)
		f.changed = make(chan struct{})
	}
	f.mu.Unlock()
	f.leave()
}

// leave makes who follows the job next look at it anew.
func (f *follow) leave() {
	f.e.mu.Lock()
	defer f.e.mu.Unlock()
	if f.e.follows[f.id] == f {
		delete(f.e.follows, f.id)
	}
}

// tell publishes how the job stands.
func (f *follow) tell(j Job, note Note, attention bool) {
	f.mu.Lock()
	s := step{old: f.job, new: j, note: note, attention: attention}
	if checkStep(s.old.Status, j.Status) != nil || s.old.Status.Finished() && !attention {
		f.mu.Unlock()
		return
	}
	f.job = j
	close(f.changed)
	f.changed = make(chan struct{})
	listeners := make([]func(step), 0, len(f.heard))
	for _, fn := range f.heard {
		listeners = append(listeners, fn)
	}
	f.mu.Unlock()
	if j.Status.Finished() {
		f.leave()
	}
	for _, fn := range listeners {
		fn(s)
	}
}
