package local

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/queue"
	"github.com/hobjobs/hob/internal/statedir"
)

// queueOf returns the directory of the queue of a job.
func queueOf(dir string, r *record.Request) string { return queue.Dir(statedir.QueuesOf(dir), r.Queue) }

// views are queues that were read once.
type views map[string]*queue.View

// complete adds to the state of a queued job why it waits.
func (v views) complete(dir string, r *record.Request, s *engine.State) {
	if s.Status != engine.Queued || s.Pending != nil {
		return
	}
	of := queueOf(dir, r)
	view := v[of]
	if view == nil {
		read, _ := queue.Read(of) // without it, only the queue's name is known
		view = &read
		v[of] = view
	}
	s.Pending = view.Pending(string(r.ID), r)
}

// watchQueued calls notify with the state of a queued job and after each change, until it is not
// queued any more.
func (r *Run) watchQueued(ctx context.Context, notify func(engine.State, engine.Note)) error {
	f, leave := queue.Follow(queueOf(r.Dir, &r.Request))
	defer leave()
	s, err := holder.Look(r.Dir)
	if err != nil || s.Status != engine.Queued {
		return nil // the records say more
	}
	reported := false
	for {
		view, changed := f.Now()
		e, there := view.Find(string(r.Request.ID))
		if there && e.State.Waits() {
			was := s
			s.Pending = view.Pending(string(r.Request.ID), &r.Request)
			s.Backgrounded = s.Backgrounded || jobdir.Backgrounded(r.Dir)
			if !reported || !reflect.DeepEqual(was.Pending, s.Pending) || was.Backgrounded != s.Backgrounded {
				reported = true
				notify(s, engine.Note{})
			}
		} else {
			return nil // it starts, or has started
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// Watch implements [engine.Run].
func (r *Run) Watch(ctx context.Context, notify func(engine.State, engine.Note)) error {
	if r.Request.Waits() {
		if err := r.watchQueued(ctx, notify); err != nil {
			return err
		}
	}
	return r.Run.Watch(ctx, notify)
}

// Background implements [engine.Backgrounder].
func (r *Run) Background(ctx context.Context) error {
	if r.Request.Waits() {
		if err := queue.Background(r.Dir, r.Request.Queue); !errors.Is(err, queue.ErrNotWaiting) {
			return err
		}
	}
	return r.Run.Background(ctx)
}

// stopQueued asks the holder of a queued job to end it, and waits until that is recorded. It reports
// false if the job does not wait any more.
func (r *Run) stopQueued(ctx context.Context, o engine.StopOptions) (report engine.StopReport, done bool, err error) {
	if o.Reason == "" {
		o.Reason = engine.ReasonKill
	}
	began := time.Now()
	if err := queue.Cancel(r.Dir, r.Request.Queue, o); err != nil {
		if errors.Is(err, queue.ErrNotWaiting) {
			return report, false, nil
		}
		return report, true, err
	}
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		st, err := holder.Look(r.Dir)
		switch {
		case err != nil: // it was removed
			return report, true, engine.ErrNotRunning
		case st.Status.Finished():
			report.Took = max(1, time.Since(began))
			return report, true, nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return report, true, ctx.Err()
		}
	}
}
