package localclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"syscall"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/localjob"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/queue"
)

// Run is one job of this machine. It keeps nothing open between calls and is safe
// for concurrent use.
type Run struct{ *holder.Run }

// NewRun returns the run of the job in dir. shows means that the client shows the job to a user, so
// that its holder need not notify of its end.
func NewRun(dir string, request record.Request, shows bool) *Run {
	return &Run{holder.NewRun(dir, request, shows)}
}

// Stop ends the whole process tree, and a job that waits in a queue before it starts. Survivors of a job
// without a holder are found by their environment. The error is ErrNotRunning if there is nothing to end.
func (r *Run) Stop(ctx context.Context, o record.StopOptions) (record.StopReport, error) {
	if r.Request.Waits() {
		if report, done, err := r.stopQueued(ctx, o); done {
			return report, err
		}
	}
	report, err := r.Run.Stop(ctx, o)
	if errors.Is(err, record.ErrNotRunning) {
		return r.stopSurvivors(ctx, o)
	}
	return report, err
}

// LookAll returns the states of the jobs in dirs, by directory. Those that were removed are missing. With verify, it
// asks the holders of the jobs that run.
func LookAll(ctx context.Context, dirs []string, verify bool) (map[string]*record.State, error) {
	return withQueues(holder.LookAll(ctx, dirs, verify))
}

// LookSome is [holder.LookSome], with why jobs are queued, as LookAll has it.
func LookSome(ctx context.Context, dirs []string, verify func(dir string) bool, patient bool) (map[string]*record.State, error) {
	return withQueues(holder.LookSome(ctx, dirs, verify, patient))
}

func withQueues(states map[string]*record.State, err error) (map[string]*record.State, error) {
	if err != nil {
		return nil, err
	}
	queues := views{}
	for dir, s := range states {
		queues.complete(dir, s)
	}
	return states, nil
}

// stopSurvivors ends the processes that a job without a holder left running. It signals only
// processes that are proven to belong to this boot and this job.
func (r *Run) stopSurvivors(ctx context.Context, o record.StopOptions) (record.StopReport, error) {
	st, err := jobdir.ReadState(r.Dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) { // it may list some
		return record.StopReport{}, err
	}
	if err != nil || !holder.SeesProcesses(&st) {
		return record.StopReport{}, record.ErrNotRunning
	}
	ref := holder.Orphans(r.Request.ID, &st)
	left, err := proc.Members(ref)
	if err != nil {
		return record.StopReport{}, err
	}
	if len(left) == 0 {
		return record.StopReport{}, record.ErrNotRunning
	}
	grace := cmp.Or(o.Grace, r.Request.Grace.Duration(), localjob.DefaultGrace)
	res, err := proc.Terminate(ctx, ref, proc.Options{
		Signal:      proc.StopSignal(r.Request.StopSignal),
		Grace:       grace,
		KeepDaemons: o.KeepDaemons,
	})
	return record.StopReport{
		Took:      res.Took,
		Escalated: res.Escalated,
		Survivors: holder.Describe(res.Survivors),
	}, err
}

// queueOf returns the directory of the queue of a job.
func queueOf(dir string, r *record.Request) string { return queue.Dir(queue.Of(dir), r.Queue) }

// views are queues that were read once.
type views map[string]*queue.View

// complete adds to the state of a queued job why it waits.
func (v views) complete(dir string, s *record.State) {
	if s.Status != record.Queued || s.Pending != nil {
		return
	}
	meta, err := jobdir.ReadMeta(dir)
	if err != nil {
		return // only that it waits is known
	}
	r := &meta.Request
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
func (r *Run) watchQueued(ctx context.Context, notify func(record.State, record.Note)) error {
	f, leave := followQueue(queueOf(r.Dir, &r.Request))
	defer leave()
	s, err := holder.Look(r.Dir)
	if err != nil || s.Status != record.Queued {
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
				notify(s, record.Note{})
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

// Watch calls notify with the current state and after each change, also while the job waits in a queue; see
// [holder.Run.Watch].
func (r *Run) Watch(ctx context.Context, notify func(record.State, record.Note)) error {
	if r.Request.Waits() {
		if err := r.watchQueued(ctx, notify); err != nil {
			return err
		}
	}
	return r.Run.Watch(ctx, notify)
}

// Background records that no client waits for the job any longer.
func (r *Run) Background(ctx context.Context) error {
	if r.Request.Waits() {
		if err := queue.Background(ctx, queueOf(r.Dir, &r.Request), string(r.Request.ID)); !errors.Is(err, queue.ErrNotWaiting) {
			return err
		}
	}
	return r.Run.Background(ctx)
}

// stopQueued asks the holder of a queued job to end it, and waits until that is recorded. It reports
// false if the job does not wait any more.
func (r *Run) stopQueued(ctx context.Context, o record.StopOptions) (report record.StopReport, done bool, err error) {
	if o.Reason == "" {
		o.Reason = record.ReasonKill
	}
	began := time.Now()
	if r.leftQueue() {
		return report, false, nil
	}
	err = queue.Cancel(ctx, queueOf(r.Dir, &r.Request), string(r.Request.ID), o)
	switch {
	case errors.Is(err, queue.ErrNotWaiting):
		return report, false, nil
	case err != nil && ctx.Err() == nil:
		err = r.endUnrecorded(ctx, err)
		return report, err != nil, err
	case err != nil:
		return report, true, err
	}
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		st, err := holder.Look(r.Dir)
		switch {
		case err != nil: // it was removed
			return report, true, record.ErrNotRunning
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

// leftQueue reports whether the job has ended, or has started at least once.
func (r *Run) leftQueue() bool {
	st, err := holder.Look(r.Dir)
	return err == nil && (st.Status.Finished() || !st.StartedAt.IsZero())
}

// endUnrecorded ends the holder of a job that waits, because why prevents a change of the queue: the disk is
// read-only or full. The end is recorded by the client that finds the job lost once the disk can be written to. nil
// means that the job has started meanwhile.
func (r *Run) endUnrecorded(ctx context.Context, why error) error {
	p, ok := proc.LockHolder(filepath.Join(r.Dir, jobdir.LockFile))
	if !ok || !proc.IsHolder(p.PID) || proc.Signal(p.Identity(), syscall.SIGTERM) != nil {
		return why
	}
	for pause := time.Millisecond; jobdir.Locked(r.Dir); pause = min(2*pause, 50*time.Millisecond) {
		if st, err := jobdir.ReadState(r.Dir); err == nil && !st.StartedAt.IsZero() {
			return nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fmt.Errorf("it will not start, but that cannot be recorded: %w", why)
}
