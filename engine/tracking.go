package engine

import (
	"context"
	"sync"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/watch"
)

const (
	// rescanEvery is the least time between two looks at the jobs directory.
	rescanEvery = 10 * time.Millisecond
	// latecomers is how often jobs are looked at again that cannot be watched.
	latecomers = time.Second
)

// tracking has a tracker for each job that callers of this engine wait for, and as long
// as there are subscriptions for every job there is. One lock guards it all.
type tracking struct {
	e    *Engine
	poke chan struct{} // asks for a look at the jobs directory
	turn chan struct{} // of size 1; has a value while the jobs are read: what is read is taken in in order

	mu       sync.Mutex // guards what follows, trackers and subscriptions; not taken with e.mu held
	trackers map[ID]*tracker
	subs     map[*Subscription]struct{}
	users    int                // subs, and those that are about to be
	stop     context.CancelFunc // of the goroutines for users
	stirred  bool               // a job has printed since jobs were measured
}

// changed has the subscriptions learn soon of what this engine did itself.
func (e *Engine) changed() { e.tracking.look() }

func (k *tracking) look() {
	select {
	case k.poke <- struct{}{}:
	default:
	}
}

// admit reads the jobs and makes s one of the subscriptions, in the same step in which
// it takes the snapshot.
func (k *tracking) admit(ctx context.Context, s *Subscription) ([]Event, error) {
	closed := &Error{Op: "subscribe", Err: ErrClosed}
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-s.closed:
		return nil, closed
	case <-k.e.life.Done():
		return nil, closed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if !k.start() {
		return nil, closed
	}
	found, err := k.read(ctx, s)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil && s.isClosed() {
		err = closed
	}
	if err != nil {
		k.stopLocked()
		return nil, err
	}
	k.takeInLocked(found)
	var batch []Event
	for _, t := range k.trackers {
		if t.listed && s.filter.selects(&t.job) {
			batch = append(batch, Event{Kind: EventCreated, Job: t.job, Offset: t.job.Output, At: t.job.CreatedAt})
		}
	}
	sortEvents(batch)
	k.subs[s] = struct{}{}
	s.admitted, s.lastOut = true, time.Now()
	k.paceLocked()
	if s.unwatched = found.jobs; s.looks == nil {
		k.watchLocked(s)
	}
	k.e.sweepSometimes()
	return batch, nil
}

// leave is the counterpart of admit. The last one ends what is done for subscriptions.
func (k *tracking) leave(s *Subscription) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !s.admitted {
		return
	}
	delete(k.subs, s)
	k.stopLocked()
	for _, t := range k.trackers {
		t.listed = t.listed && len(k.subs) > 0
		t.settleLocked()
	}
}

// start begins what is done as long as there are subscriptions, for one more. It reports
// false if the engine is closed.
func (k *tracking) start() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.users > 0 {
		k.users++
		return true
	}
	ctx, stop := context.WithCancel(k.e.life)
	w := watch.Dir(k.e.root.Jobs()) // before they are read, so that no change is missed
	if !k.e.goes(func() { k.keepUp(ctx, w) }) {
		stop()
		w.Close()
		return false
	}
	if every := k.e.cfg.usage; every > 0 {
		k.e.goes(func() { k.measureAll(ctx, every) })
	}
	k.stop, k.users = stop, 1
	return true
}

// stopLocked is the counterpart of start.
func (k *tracking) stopLocked() {
	if k.users--; k.users == 0 {
		k.stop()
	}
}

// keepUp keeps the jobs current until ctx is done.
func (k *tracking) keepUp(ctx context.Context, w *watch.Watcher) {
	defer w.Close()
	late := time.NewTicker(latecomers)
	defer late.Stop()
	for {
		var again <-chan time.Time
		if k.incomplete() {
			again = late.C
		}
		select {
		case <-ctx.Done():
			return
		case <-w.C:
		case <-k.poke:
		case <-again:
		}
		if err := k.scan(ctx); err != nil && ctx.Err() == nil {
			k.e.log.Warn("the jobs cannot be listed", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(rescanEvery):
		}
	}
}

// scan compares the jobs there are with those that are known.
func (k *tracking) scan(ctx context.Context) error {
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	found, err := k.read(ctx, nil)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	k.takeInLocked(found)
	k.watchJobsLocked(found.jobs)
	return nil
}

// found is what a look at the jobs directory found.
type found struct {
	all  map[ID]bool
	jobs []Job               // those that were read, newest first
	sent map[ID]*jobdir.Fact // when those were sent to the background that are new
}

// read reads the jobs that are not known, and those that should be watched and are not:
// by the subscriptions, and by s, which is about to be one.
func (k *tracking) read(ctx context.Context, s *Subscription) (found, error) {
	f := found{all: map[ID]bool{}, sent: map[ID]*jobdir.Fact{}}
	ids, err := k.e.ids(ctx)
	if err != nil {
		return f, err
	}
	var open []string
	fresh := map[ID]bool{}
	k.mu.Lock()
	for _, name := range ids {
		id := ID(name)
		t := k.trackers[id]
		f.all[id] = true
		if fresh[id] = t == nil || !t.listed; fresh[id] || t.unwatchedLocked() && (k.wantedLocked(id) || s != nil && s.follows(id)) {
			open = append(open, name)
		}
	}
	heard := len(k.subs) > 0
	k.mu.Unlock()
	if len(open) == 0 {
		return f, nil
	}
	all := func(*Job) bool { return true }
	f.jobs, err = k.e.list(ctx, open, all, all)
	for _, j := range f.jobs {
		if heard && fresh[j.ID] {
			f.sent[j.ID] = k.e.sentAway(j)
		}
	}
	return f, err
}

// takeInLocked takes in what was read, and lets go of the jobs that are gone.
func (k *tracking) takeInLocked(f found) {
	for id, t := range k.trackers {
		if t.listed && !f.all[id] {
			t.publishLocked(nil, []fact{{kind: EventRemoved, offset: t.job.Output, at: k.e.cfg.now()}})
			t.listed = false
			t.settleLocked()
		}
	}
	for _, j := range f.jobs {
		t := k.trackers[j.ID]
		if t == nil {
			t = &tracker{k: k, id: j.ID, job: j}
			k.trackers[j.ID] = t
		}
		t.updateLocked(step{new: j})
		if !t.listed {
			t.listed = true
			t.publishLocked(nil, birth(t.job, f.sent[j.ID], k.e.cfg.now()))
		}
	}
}

// watchLocked begins to watch the jobs that were read for the snapshot of s.
func (k *tracking) watchLocked(s *Subscription) {
	k.watchJobsLocked(s.unwatched)
	s.unwatched = nil
}

// watchJobsLocked begins to watch those of the jobs that are wanted: first those that
// are looked at, then the newest.
func (k *tracking) watchJobsLocked(jobs []Job) {
	for _, looked := range []bool{true, false} {
		for _, j := range jobs {
			t := k.trackers[j.ID]
			if t != nil && t.unwatchedLocked() && t.job.Link != LinkElsewhere && k.wantedLocked(t.id) && k.lookedAtLocked(t.id) == looked {
				t.watchLocked(nil)
			}
		}
	}
}

// paceLocked has all jobs watched as closely as they are looked at.
func (k *tracking) paceLocked() {
	for _, t := range k.trackers {
		t.paceLocked()
	}
}

// unwatchedLocked reports whether the job has not ended, for all that is known, and is
// not watched.
func (t *tracker) unwatchedLocked() bool { return t.stop == nil && !t.job.Status.Finished() }

// incomplete reports whether there are jobs that should be watched and are not.
func (k *tracking) incomplete() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, t := range k.trackers {
		if t.listed && t.unwatchedLocked() && k.wantedLocked(id) {
			return true
		}
	}
	return false
}

// wantedLocked reports whether a subscription may be given facts of the job: `hob run`
// need not connect to every other job that runs.
func (k *tracking) wantedLocked(id ID) bool {
	for s := range k.subs {
		if s.follows(id) {
			return true
		}
	}
	return false
}

// lookedAtLocked reports whether a subscription looks closely at the job.
func (k *tracking) lookedAtLocked(id ID) bool {
	for s := range k.subs {
		if s.looksAtLocked(id) {
			return true
		}
	}
	return false
}
