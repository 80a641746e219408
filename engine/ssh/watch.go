package ssh

import (
	"context"
	"reflect"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
)

// How often a host is asked for each job that is watched there, by how much its
// news is wanted. Those that are due soon are asked for with those that are.
const (
	hotEvery  = 60 * time.Millisecond  // somebody reads its output, or it has just begun
	warmEvery = 500 * time.Millisecond // something changed in the last while, or few are watched
	coolEvery = 2 * time.Second
	fewJobs   = 4
	hotFor    = 3 * time.Second
	warmFor   = 20 * time.Second
	// apart is the least time between two looks, so that many watchers that begin
	// at once make few of them.
	apart = 20 * time.Millisecond
	// tellLoss is how long a connection is gone before those who watch are told: one
	// that comes back at once is not worth a word.
	tellLoss = 2 * time.Second
)

// watcher is one [Run.Watch]. Its fields are guarded by host.mu.
type watcher struct {
	rec     engine.Record
	now     engine.State
	known   bool
	looked  time.Time // the last time
	hot     time.Time // until then
	warm    time.Time
	changed chan struct{} // of size 1
}

// watch registers a watcher and has the host polled as long as there are any.
func (h *host) watch(r engine.Record) *watcher {
	w := &watcher{rec: r, changed: make(chan struct{}, 1), hot: time.Now().Add(hotFor), warm: time.Now().Add(warmFor)}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watchers[w] = struct{}{}
	h.usesLocked(r.ID, 1, 0)
	if !h.polling {
		h.polling = h.b.goes(h.poll)
	}
	h.kick()
	return w
}

func (h *host) unwatch(w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.watchers, w)
	h.usesLocked(w.rec.ID, -1, 0)
	h.kick()
}

// heat makes the next looks at a job come soon.
func (h *host) heat(id engine.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	for w := range h.watchers {
		if w.rec.ID == id {
			if !now.Before(w.hot) {
				h.kick()
			}
			w.hot = now.Add(hotFor)
		}
	}
}

// poll asks the host for what is watched, until nothing is or the backend is
// closed.
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
		case <-h.poke:
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

// pause is how long to wait before the next look; ok is false when nobody
// watches any more.
func (h *host) pause(last time.Time) (wait time.Duration, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.watchers) == 0 {
		h.polling = false
		return 0, false
	}
	now := time.Now()
	if h.conn == nil && h.err != nil && now.Before(h.next) {
		for w := range h.watchers { // who is new wants to be told that it is so
			if !w.known {
				return 0, true
			}
		}
		return h.next.Sub(now), true
	}
	wait = coolEvery
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
	case now.Before(w.hot):
		return hotEvery
	case now.Before(w.warm), len(h.watchers) <= fewJobs:
		return warmEvery
	}
	return coolEvery
}

// turn is one look at what is due.
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
	ctx, cancel := context.WithTimeout(h.b.life, dialLimit+askLimit)
	defer cancel()
	// Nobody waits for it: whatever is not told by sizes is seen by the second look.
	seen, err := h.lookAfter(ctx, rs, mostPause, max(recipe.FewProofs, (len(rs)+1)/2))
	if h.b.life.Err() != nil {
		return
	}
	now := time.Now()
	stale := map[engine.ID]engine.State{}
	for id, r := range byID {
		if _, ok := seen[id]; !ok {
			stale[id] = h.stale(r, err)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watchers {
		if o, ok := seen[w.rec.ID]; ok {
			w.take(o, now)
		} else if o, ok = stale[w.rec.ID]; ok { // else it came meanwhile
			w.takeStale(o, now)
		}
	}
}

// tellLost tells those who watch that the connection is gone, unless it has been made
// again: an attempt to reach a host that is silent takes as long as it may.
func (h *host) tellLost() {
	h.mu.Lock()
	var rs []engine.Record
	for w := range h.watchers {
		rs = append(rs, w.rec)
	}
	h.mu.Unlock()
	stale := make(map[engine.ID]engine.State, len(rs))
	for _, r := range rs {
		stale[r.ID] = h.stale(r, nil)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.conn != nil || h.err == nil || h.b.life.Err() != nil {
		return
	}
	now := time.Now()
	for w := range h.watchers {
		if o, ok := stale[w.rec.ID]; ok && w.known && !w.now.Status.Finished() {
			w.takeStale(o, now)
		}
	}
}

// takeStale notes that the host cannot be asked; host.mu is held.
func (w *watcher) takeStale(o engine.State, now time.Time) {
	if w.known { // what this watcher saw last is newer than the record
		last := w.now
		last.Link, last.LinkError, last.StaleSince = o.Link, o.LinkError, o.StaleSince
		o = last
	}
	w.take(o, now)
}

// take notes what was seen; host.mu is held.
func (w *watcher) take(o engine.State, now time.Time) {
	if w.known && reflect.DeepEqual(o, w.now) {
		return
	}
	w.now, w.known = o, true
	w.warm = now.Add(warmFor)
	// The next look builds on this one.
	w.rec.Job.StartedAt, w.rec.Job.StartedUp, w.rec.Job.Status, w.rec.Job.Leader = o.StartedAt, o.StartedUp, o.Status, o.Leader
	w.rec.Job.Output, w.rec.Job.Dropped, w.rec.Job.Deadline = o.Output, o.Dropped, o.Deadline
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
		o := w.now
		r.h.mu.Unlock()
		o.Backgrounded = o.Backgrounded || r.backgrounded()
		notify(o, engine.Note{})
		if o.Status.Finished() {
			return nil
		}
	}
}
