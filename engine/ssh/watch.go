package ssh

import (
	"context"
	"reflect"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
)

// How often a host is asked for each job that is watched, depending on how urgent its state is. Jobs
// that are due soon are requested together with those that are due.
const (
	activeEvery = 60 * time.Millisecond  // its output is being read, or it has just been started
	recentEvery = 500 * time.Millisecond // it changed recently, or few jobs are watched
	idleEvery   = 2 * time.Second
	fewJobs     = 4
	activeFor   = 3 * time.Second
	recentFor   = 20 * time.Second
	// apart is the least time between two looks, so that many watchers that begin at once cause few
	// of them.
	apart = 20 * time.Millisecond
	// lossGrace is how long a connection is lost before subscribers are notified: a connection that
	// recovers at once is not reported.
	lossGrace = 2 * time.Second
)

// watcher is one [Run.Watch]. Its fields are guarded by host.mu.
type watcher struct {
	rec         engine.Record // with the state that was last observed
	known       bool          // it was observed by this watcher
	looked      time.Time     // the last time
	activeUntil time.Time     // it is looked at every activeEvery until then
	recentUntil time.Time     // and every recentEvery until then
	changed     chan struct{} // of size 1
}

// watch registers a watcher. The host is polled while it has watchers.
func (h *host) watch(r engine.Record) *watcher {
	w := &watcher{
		rec:         r,
		changed:     make(chan struct{}, 1),
		activeUntil: time.Now().Add(activeFor),
		recentUntil: time.Now().Add(recentFor),
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watchers[w] = struct{}{}
	h.usesLocked(r.ID, 1, 0)
	if !h.polling {
		h.polling = h.b.async(h.poll)
	}
	h.wakePoller()
	return w
}

func (h *host) unwatch(w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.watchers, w)
	h.usesLocked(w.rec.ID, -1, 0)
	h.wakePoller()
}

// pollSoon makes the next looks at a job follow soon.
func (h *host) pollSoon(id engine.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	for w := range h.watchers {
		if w.rec.ID == id {
			if !now.Before(w.activeUntil) {
				h.wakePoller()
			}
			w.activeUntil = now.Add(activeFor)
		}
	}
}

// poll looks at the watched jobs until none is left or the backend is closed.
func (h *host) poll() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	last := time.Time{}
	for {
		wait, ok := h.pause(last)
		if !ok {
			return
		}
		timer.Reset(wait)
		select {
		case <-timer.C:
		case <-h.wake:
			continue
		case <-h.b.life.Done():
			h.mu.Lock()
			h.polling = false
			h.mu.Unlock()
			return
		}
		h.turn()
		last = time.Now()
	}
}

// pause returns how long to wait before the next look; ok is false when no watcher is left.
func (h *host) pause(last time.Time) (wait time.Duration, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.watchers) == 0 {
		h.polling = false
		return 0, false
	}
	now := time.Now()
	if h.downLocked() && now.Before(h.next) {
		for w := range h.watchers { // a new watcher needs to be notified of the current state
			if !w.known {
				return 0, true
			}
		}
		return h.next.Sub(now), true
	}
	wait = idleEvery
	for w := range h.watchers {
		wait = min(wait, h.everyLocked(w, now)-now.Sub(w.looked))
	}
	return max(0, wait, apart-now.Sub(last)), true
}

// everyLocked is how often w is to be looked at.
func (h *host) everyLocked(w *watcher, now time.Time) time.Duration {
	switch {
	case !w.known:
		return 0
	case now.Before(w.activeUntil):
		return activeEvery
	case now.Before(w.recentUntil), len(h.watchers) <= fewJobs:
		return recentEvery
	}
	return idleEvery
}

// turn is one look at the jobs that are due.
func (h *host) turn() {
	h.mu.Lock()
	byID := map[engine.ID]engine.Record{}
	begun := time.Now()
	for w := range h.watchers {
		every := h.everyLocked(w, begun)
		if begun.Sub(w.looked) >= every-every/4 || h.conn == nil {
			byID[w.rec.ID] = w.rec
			w.looked = begun
		}
	}
	h.mu.Unlock()
	rs := make([]engine.Record, 0, len(byID))
	for _, r := range byID {
		rs = append(rs, r)
	}
	ctx, cancel := context.WithTimeout(h.b.life, lookLimit)
	defer cancel()
	// No caller waits for it: what sizes do not reveal is found by the second look.
	seen, err := h.lookAfter(ctx, rs, mostPause, max(recipe.FewProofs, (len(rs)+1)/2))
	if err == nil {
		_, rs := splitRecords(rs, func(r *engine.Record) bool { return seen[r.ID].HostHolder != "" })
		h.checkInput(ctx, rs, seen)
		h.readLines(ctx, rs, seen)
	}
	if h.b.life.Err() != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watchers {
		if o, ok := seen[w.rec.ID]; ok {
			w.take(o)
		} else if _, due := byID[w.rec.ID]; due {
			w.take(h.staleLocked(w.rec, err))
		}
	}
}

// reportLoss notifies subscribers that the connection is lost, unless it has been made again: an
// attempt to reach a host that does not respond may take its full time limit.
func (h *host) reportLoss() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.downLocked() || h.b.life.Err() != nil {
		return
	}
	for w := range h.watchers {
		if w.known && !w.rec.Job.Status.Finished() {
			w.take(h.staleLocked(w.rec, nil))
		}
	}
}

// take notes what was observed, on which the next look builds; host.mu is held.
func (w *watcher) take(o engine.State) {
	if w.known && reflect.DeepEqual(o, w.rec.Job.State) {
		return
	}
	w.rec.Job.State, w.known = o, true
	w.recentUntil = time.Now().Add(recentFor)
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// Watch implements [engine.Run].
func (r *Run) Watch(ctx context.Context, notify func(engine.State, engine.Note)) error {
	w := r.h.watch(r.rec)
	defer r.h.unwatch(w)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.b.life.Done():
			return engine.ErrClosed
		case <-w.changed:
		}
		r.h.mu.Lock()
		o := w.rec.Job.State
		r.h.mu.Unlock()
		o.Backgrounded = o.Backgrounded || r.backgrounded()
		notify(o, engine.Note{})
		if o.Status.Finished() {
			return nil
		}
	}
}
