package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
)

// exitRetention is how long after a clear a job's end is still reported.
const exitRetention = 5 * time.Minute

// waitUntil waits for a state of the job for which ok returns true, or for its end. It calls ok
// after each change and for each value received from also.
func (e *Engine) waitUntil(ctx context.Context, id ID, also <-chan struct{}, ok func(Job) bool) (Job, error) {
	t, release, err := e.follow(ctx, id)
	if err != nil {
		return Job{}, err
	}
	defer release()
	for {
		j, changed, err := t.now()
		if err != nil || j.Status.Finished() || ok(j) {
			return j, err
		}
		select {
		case <-changed:
		case <-also:
		case <-ctx.Done():
			return j, ctx.Err()
		case <-e.runCtx.Done():
			return j, &Error{Op: "wait for", Job: id, Err: ErrClosed}
		}
	}
}

// Wait returns when the job has ended, in whichever program, and the end is recorded. It keeps
// waiting while a host cannot be reached. It returns ErrNotFound, ErrElsewhere, ErrClosed, the
// error of ctx, or ErrUnrecorded together with the exit if there is no room to record it.
func (e *Engine) Wait(ctx context.Context, id ID) (Exit, error) {
	exit, _, err := e.waitUnless(ctx, id, nil, func(Job) bool { return false })
	return exit, err
}

// waitUnless is like Wait, but also returns when stop returns true. It calls stop with the job
// after each change and for each value received from also.
func (e *Engine) waitUnless(ctx context.Context, id ID, also <-chan struct{}, stop func(Job) bool) (exit Exit, stopped bool, err error) {
	rec, err := e.record(id)
	if err != nil {
		return Exit{}, false, err
	}
	if exit, ok := e.jobOf(rec).Ended(); ok {
		e.waitRecorded(ctx, id, exit)
		return exit, false, nil
	}
	j, err := e.waitUntil(ctx, id, also, func(j Job) bool {
		stopped = stop(j)
		return stopped || j.Unrecorded != nil
	})
	if stopped {
		return Exit{}, true, err
	}
	if errors.Is(err, ErrNotFound) { // it may have ended and been cleared since the first read
		if rec, readErr := e.recordAnywhere(id); readErr == nil && rec.Finished() {
			return e.jobOf(rec).Exit, false, nil
		}
	}
	if u := j.Unrecorded; err == nil && u != nil {
		return u.Exit, false, &Error{Op: "wait for", Job: id, Err: fmt.Errorf("%w: %s", ErrUnrecorded, u.Why), Hint: "free disk space: the job's holder keeps trying"}
	}
	if err == nil {
		e.waitRecorded(ctx, id, j.Exit)
	}
	return j.Exit, false, err
}

// recordTimeout bounds the wait for the second of the two files that record an end. Writing it may
// take a while on a slow disk.
const recordTimeout = 5 * time.Second

// waitRecorded waits until an end is completely recorded: exit_code, which scripts read, is written
// after state.json, in which the end was seen.
func (e *Engine) waitRecorded(ctx context.Context, id ID, exit Exit) {
	if exit.Code == nil || exit.Status == Lost {
		return
	}
	dir := e.root.Dir(string(id))
	for pause, end := time.Millisecond, time.Now().Add(recordTimeout); time.Now().Before(end); pause *= 2 {
		if _, ok := jobdir.ReadExitCode(dir); ok || !jobdir.Locked(dir) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// OnExit calls f once with the job's end, in a goroutine of its own: when the job ends, or soon if
// it has ended and was not cleared more than five minutes ago. For an unknown job f is not called.
// cancel neither interrupts a call that has begun nor waits for it. f must not close the engine,
// which waits for it.
func (e *Engine) OnExit(id ID, f func(Exit)) (cancel func()) {
	if f == nil {
		return func() {}
	}
	ctx, stop := context.WithCancel(e.runCtx)
	var settled atomic.Bool // set by f or cancel, whichever comes first
	started := e.spawn(func() {
		defer stop()
		if exit, ok := e.exitOf(ctx, id); ok && settled.CompareAndSwap(false, true) {
			f(exit)
		}
	})
	if !started {
		stop()
	}
	return func() {
		settled.Store(true)
		stop()
	}
}

// exitOf waits for the job's end; ok is false if it must not be reported.
func (e *Engine) exitOf(ctx context.Context, id ID) (exit Exit, ok bool) {
	for retry := retryFirst; ; retry = min(2*retry, retryMost) {
		exit, err := e.Wait(ctx, id)
		switch {
		case err == nil:
			return exit, true
		case ctx.Err() != nil, errors.Is(err, ErrClosed):
			// It may have ended just before the engine was closed.
			rec, err := e.record(id)
			if err != nil {
				return Exit{}, false
			}
			return e.jobOf(rec).Ended()
		case errors.Is(err, ErrNotFound):
			rec, err := e.cleared(id)
			if err != nil {
				return Exit{}, false
			}
			return e.jobOf(rec).Ended()
		case errors.Is(err, ErrElsewhere), errors.Is(err, ErrUnsupported):
			return Exit{}, false
		}
		select {
		case <-ctx.Done():
			return Exit{}, false
		case <-time.After(retry):
		}
	}
}

// cleared reads the records of a job that was cleared recently.
func (e *Engine) cleared(id ID) (*jobdir.Record, error) {
	trash, err := e.root.InTrash()
	if err != nil {
		return nil, err
	}
	for _, t := range trash {
		if t.ID == string(id) && e.cfg.now().Sub(t.At) <= exitRetention {
			rec, err := jobdir.Read(e.root.TrashDir(t.ID))
			return &rec, err
		}
	}
	return nil, fs.ErrNotExist
}

// recordAnywhere reads the records of a job, including one that is in the trash.
func (e *Engine) recordAnywhere(id ID) (*jobdir.Record, error) {
	rec, err := e.record(id)
	if errors.Is(err, ErrNotFound) && jobdir.ValidID(string(id)) {
		if trashed, readErr := jobdir.Read(filepath.Clean(e.root.TrashDir(string(id)))); readErr == nil && trashed.Finished() {
			return &trashed, nil
		}
	}
	return rec, err
}

// backgroundTimeout bounds recording that a job is in the background.
const backgroundTimeout = 10 * time.Second

// Background makes every [Engine.Run] that waits for the job return, here and in other processes;
// the job keeps running. Further calls do nothing. Callers in this process return at once;
// recording that the job is in the background may then take ten seconds if a host or a holder does
// not answer. It returns ErrNotRunning if the job has ended.
func (e *Engine) Background(id ID) error {
	ctx, cancel := context.WithTimeout(context.Background(), backgroundTimeout)
	defer cancel()
	run, j, err := e.running(ctx, "background", id)
	if err != nil {
		return err
	}
	e.tracking.markBackgrounded(id)
	if j.Backgrounded {
		return nil
	}
	err = run.Background(ctx)
	if errors.Is(err, ErrNotRunning) {
		if now, readErr := e.read(ctx, id); readErr == nil && now.Backgrounded {
			return nil
		}
	}
	return opError("background", j, err)
}
