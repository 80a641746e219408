package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/watch"
)

const (
	// rescanEvery is the minimum time between two scans of the jobs directory.
	rescanEvery = 10 * time.Millisecond
	// retryEvery is how often jobs that cannot be watched are tried again.
	retryEvery = time.Second
)

// tracking has a tracker for each job that callers of this engine wait for, and while there are
// subscriptions, for every job. One lock guards it all.
type tracking struct {
	e    *Engine
	poke chan struct{} // requests a scan of the jobs directory
	turn chan struct{} // of size 1; holds a value during a scan, so that results are applied in order

	measureOthers chan struct{} // of size 1; has a value when jobs are to be measured that were not

	mu       sync.Mutex // guards the fields below, trackers and subscriptions; not acquired with e.mu held
	trackers map[ID]*tracker
	subs     map[*Subscription]struct{}
	users    int                // subs, including those being added
	stop     context.CancelFunc // of the goroutines for users
}

// changed makes subscriptions notice soon what this engine did itself.
func (e *Engine) changed() {
	select {
	case e.tracking.poke <- struct{}{}:
	default:
	}
}

// admit reads the jobs and adds s to the subscriptions, atomically with taking the snapshot.
func (k *tracking) admit(ctx context.Context, s *Subscription) ([]Event, error) {
	closed := &Error{Op: "subscribe", Err: ErrClosed}
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-s.life.Done():
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
	if err == nil && s.life.Err() != nil {
		err = closed
	}
	if err != nil {
		k.stopLocked()
		return nil, err
	}
	k.mergeLocked(found)
	var jobs []Job
	for _, t := range k.trackers {
		if t.listed && s.filter.Selects(&t.job) {
			jobs = append(jobs, t.job)
		}
	}
	batch := make([]Event, 0, len(jobs))
	for _, j := range newestFirst(jobs) {
		batch = append(batch, Event{
			Kind:   EventCreated,
			Job:    j,
			Offset: j.Output,
			At:     j.CreatedAt,
		})
	}
	k.subs[s] = struct{}{}
	s.admitted, s.lastOut = true, time.Now()
	k.paceLocked()
	if s.attended == nil {
		k.watchJobsLocked(found.jobs)
	} else {
		s.unwatched = found.jobs
	}
	k.e.sweepSometimes()
	return batch, nil
}

// leave is the inverse of admit. The last one stops the goroutines for subscriptions.
func (k *tracking) leave(s *Subscription) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !s.admitted {
		return
	}
	s.admitted = false
	delete(k.subs, s)
	k.stopLocked()
	for _, t := range k.trackers {
		t.listed = t.listed && len(k.subs) > 0
		t.releaseLocked()
	}
}

// start adds a subscription and starts the goroutines if it is the first. It reports false if the
// engine is closed.
func (k *tracking) start() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.users > 0 {
		k.users++
		return true
	}
	ctx, stop := context.WithCancel(k.e.runCtx)
	w := watch.Dir(k.e.root.Jobs()) // before they are read, so that no change is missed
	if !k.e.spawn(func() { k.run(ctx, w) }) {
		stop()
		w.Close()
		return false
	}
	if every := k.e.cfg.usage; every > 0 {
		k.e.spawn(func() { k.measureAll(ctx, every) })
	}
	k.stop, k.users = stop, 1
	return true
}

// stopLocked is the inverse of start.
func (k *tracking) stopLocked() {
	if k.users--; k.users == 0 {
		k.stop()
	}
}

// run keeps the jobs current until ctx is done.
func (k *tracking) run(ctx context.Context, w *watch.Watcher) {
	defer w.Close()
	late := time.NewTicker(retryEvery)
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
			k.e.log.Warn("cannot list the jobs", "err", err)
		}
		k.readSeen()
		select {
		case <-ctx.Done():
			return
		case <-time.After(rescanEvery):
		}
	}
}

// scan compares the existing jobs with the known ones.
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
	k.mergeLocked(found)
	k.watchJobsLocked(found.jobs)
	return nil
}

// found is the result of a scan.
type found struct {
	all  map[ID]bool
	jobs []Job               // the jobs that were read, newest first
	sent map[ID]*jobdir.Fact // when new ones among them were sent to the background
}

// read reads the jobs that are not known, and those that the subscriptions (or s, which is about to
// become one) need watched and that are not.
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
		fresh[id] = t == nil || !t.listed
		reported := s != nil && s.covers(id)
		if fresh[id] {
			open = append(open, name)
			continue
		}
		if wanted := reported || k.wantedLocked(id); wanted && t.unwatchedLocked() {
			open = append(open, name)
		}
	}
	heard := len(k.subs) > 0
	k.mu.Unlock()
	if len(open) == 0 {
		return f, nil
	}
	all := func(*Job) bool { return true }
	f.jobs, err = k.e.list(ctx, open, false, all, all)
	for _, j := range f.jobs {
		if heard && fresh[j.ID] {
			f.sent[j.ID] = k.e.backgroundFact(j)
		}
	}
	return f, err
}

// mergeLocked applies the result of a scan and releases jobs that were removed.
func (k *tracking) mergeLocked(f found) {
	for id, t := range k.trackers {
		if t.listed && !f.all[id] {
			t.publishLocked(nil, []fact{{kind: EventRemoved, offset: t.job.Output, at: k.e.cfg.now()}})
			t.listed = false
			t.releaseLocked()
		}
	}
	for _, j := range f.jobs {
		t := k.trackers[j.ID]
		if t == nil {
			t = &tracker{k: k, id: j.ID, job: j}
			k.trackers[j.ID] = t
		}
		t.updateLocked(change{new: j})
		if !t.listed {
			t.listed = true
			t.publishLocked(nil, initialFacts(t.job, f.sent[j.ID], k.e.cfg.now()))
		}
	}
}

// watchJobsLocked starts watching the jobs that a subscription needs: attended ones first, then the
// newest.
func (k *tracking) watchJobsLocked(jobs []Job) {
	for _, looked := range []bool{true, false} {
		for _, j := range jobs {
			t := k.trackers[j.ID]
			if t == nil || k.attendedLocked(t.id) != looked {
				continue
			}
			if watchable := t.unwatchedLocked() && t.job.Link != LinkElsewhere; watchable && k.wantedLocked(t.id) {
				t.watchLocked(nil)
			}
		}
	}
}

// paceLocked throttles all watches unless a client needs prompt changes.
func (k *tracking) paceLocked() {
	for _, t := range k.trackers {
		t.paceLocked()
	}
}

// unwatchedLocked reports whether the job has not ended as far as is known and is not watched.
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

// wantedLocked reports whether a subscription may receive events of the job: `hob run` need not
// connect to every other running job.
func (k *tracking) wantedLocked(id ID) bool {
	for s := range k.subs {
		if s.covers(id) {
			return true
		}
	}
	return false
}

// attendedLocked reports whether a subscription needs prompt changes of the job.
func (k *tracking) attendedLocked(id ID) bool {
	for s := range k.subs {
		if s.attendsLocked(id) {
			return true
		}
	}
	return false
}

// MarkSeen records that the user has seen how these jobs ended, so that they no longer count
// as failures that need attention ([Job.FailedUnseen]), for any client. Jobs that have not ended, did
// not fail or no longer exist are ignored. Of a job on a host the record on this machine is marked.
func (e *Engine) MarkSeen(ids ...ID) error {
	var errs []error
	for _, id := range ids {
		rec, err := e.record(id)
		if err != nil {
			if !errors.Is(err, ErrNotFound) {
				errs = append(errs, err)
			}
			continue
		}
		if j := e.jobOf(rec); !j.FailedUnseen() {
			continue
		}
		if err := jobdir.MarkSeen(e.root.Dir(rec.ID)); err != nil {
			errs = append(errs, fmt.Errorf("cannot mark %s as seen: %w", id, err))
			continue
		}
		e.tracking.setSeen(id)
	}
	return errors.Join(errs...)
}

// setSeen applies that the user has seen the end of jobs, and publishes it.
func (k *tracking) setSeen(ids ...ID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, id := range ids {
		t := k.trackers[id]
		if t == nil || !t.job.FailedUnseen() {
			continue
		}
		t.job.Seen = true
		if t.listed {
			t.publishLocked(nil, []fact{{kind: EventTitle, offset: t.job.Output, at: k.e.cfg.now()}})
		}
	}
}

// readSeen applies what other programs have marked as seen.
func (k *tracking) readSeen() {
	var seen []ID
	k.mu.Lock()
	for id, t := range k.trackers {
		if t.listed && t.job.FailedUnseen() {
			seen = append(seen, id)
		}
	}
	k.mu.Unlock()
	seen = slices.DeleteFunc(seen, func(id ID) bool { return !jobdir.Seen(k.e.root.Dir(string(id))) })
	k.setSeen(seen...)
}
