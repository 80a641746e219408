package local

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/localjob"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/queue"
	"github.com/hobjobs/hob/internal/statedir"
)

// run is one job of this machine. It keeps nothing open between calls and is safe
// for concurrent use.
type run struct{ *holder.Run }

// Stop implements [engine.Run]. Survivors of a job without a holder are found by their environment.
func (r *run) Stop(ctx context.Context, o engine.StopOptions) (engine.StopReport, error) {
	if r.Request.Waits() {
		if report, done, err := r.stopQueued(ctx, o); done {
			return report, err
		}
	}
	report, err := r.Run.Stop(ctx, o)
	if errors.Is(err, engine.ErrNotRunning) {
		return r.stopSurvivors(ctx, o)
	}
	return report, err
}

// Observe implements [engine.Backend].
func (b *Backend) Observe(ctx context.Context, rs []engine.Record) (map[engine.ID]engine.State, error) {
	b.holders.reap()
	dirs := make([]string, len(rs))
	for i, r := range rs {
		dirs[i] = r.Dir
	}
	states, err := holder.LookAll(ctx, dirs)
	if err != nil {
		return nil, err
	}
	seen := make(map[engine.ID]engine.State, len(rs))
	queues := views{}
	for _, r := range rs {
		if s := states[r.Dir]; s != nil { // otherwise it was removed
			queues.complete(r.Dir, &r.Job.Request, s)
			seen[r.ID] = *s
		}
	}
	return seen, nil
}

// stopSurvivors ends the processes that a job without a holder left running. It signals only
// processes that are proven to belong to this boot and this job.
func (r *run) stopSurvivors(ctx context.Context, o engine.StopOptions) (engine.StopReport, error) {
	st, err := jobdir.ReadState(r.Dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) { // it may list some
		return engine.StopReport{}, err
	}
	if err != nil || !holder.SeesProcesses(&st) {
		return engine.StopReport{}, engine.ErrNotRunning
	}
	ref := holder.Orphans(r.Request.ID, &st)
	left, err := proc.Members(ref)
	if err != nil {
		return engine.StopReport{}, err
	}
	if len(left) == 0 {
		return engine.StopReport{}, engine.ErrNotRunning
	}
	grace := cmp.Or(o.Grace, r.Request.Grace.Duration(), localjob.DefaultGrace)
	res, err := proc.Terminate(ctx, ref, proc.Options{Grace: grace, KeepDaemons: o.KeepDaemons})
	return engine.StopReport{
		Took: res.Took, Escalated: res.Escalated, Survivors: holder.Describe(res.Survivors),
	}, err
}

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
	s.Pending = pendingIn(view, dir, r)
}

// pendingIn returns why the job in dir has not started, with the names of the jobs that it waits for.
func pendingIn(view *queue.View, dir string, r *record.Request) *record.Pending {
	p := view.Pending(string(r.ID), r)
	for _, id := range p.After {
		meta, err := jobdir.ReadMeta(filepath.Join(filepath.Dir(dir), string(id)))
		if err != nil {
			continue // removed
		}
		if p.AfterNames == nil {
			p.AfterNames = map[record.ID]string{}
		}
		p.AfterNames[id] = meta.Name
	}
	return p
}

// watchQueued calls notify with the state of a queued job and after each change, until it is not
// queued any more.
func (r *run) watchQueued(ctx context.Context, notify func(engine.State, engine.Note)) error {
	f, leave := followQueue(queueOf(r.Dir, &r.Request))
	defer leave()
	s, err := holder.Look(r.Dir)
	if err != nil || s.Status != engine.Queued {
		return nil // the records say more
	}
	reported := false
	for {
		view, changed := f.now()
		e, there := view.Find(string(r.Request.ID))
		if there && e.State.Pending() {
			was := s
			s.Pending = pendingIn(view, r.Dir, &r.Request)
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
func (r *run) Watch(ctx context.Context, notify func(engine.State, engine.Note)) error {
	if r.Request.Waits() {
		if err := r.watchQueued(ctx, notify); err != nil {
			return err
		}
	}
	return r.Run.Watch(ctx, notify)
}

// Background implements [engine.Run].
func (r *run) Background(ctx context.Context) error {
	if r.Request.Waits() {
		if err := queue.Background(ctx, queueOf(r.Dir, &r.Request), string(r.Request.ID)); !errors.Is(err, queue.ErrNotWaiting) {
			return err
		}
	}
	return r.Run.Background(ctx)
}

// stopQueued asks the holder of a queued job to end it, and waits until that is recorded. It reports
// false if the job does not wait any more.
func (r *run) stopQueued(ctx context.Context, o engine.StopOptions) (report engine.StopReport, done bool, err error) {
	if o.Reason == "" {
		o.Reason = engine.ReasonKill
	}
	began := time.Now()
	if err := queue.Cancel(ctx, queueOf(r.Dir, &r.Request), string(r.Request.ID), o); err != nil {
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
