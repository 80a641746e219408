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

// exitMemory is how long after a clear a job's end is still told.
const exitMemory = 5 * time.Minute

// until waits for a state of the job for which ok holds, or for its end. ok is called after
// each change, and for each value of also.
func (e *Engine) until(ctx context.Context, id ID, also <-chan struct{}, ok func(Job) bool) (Job, error) {
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
		case <-e.life.Done():
			return j, &Error{Op: "wait for", Job: id, Err: ErrClosed}
		}
	}
}

// Wait returns when the job has ended, in whichever program, and that is recorded. It
// waits on while a host cannot be reached. The errors are ErrNotFound, ErrElsewhere, ErrClosed,
// that of ctx, and ErrUnrecorded, with the exit: the job has ended, and there is no room
// to record it.
func (e *Engine) Wait(ctx context.Context, id ID) (Exit, error) {
	exit, _, err := e.waitUnless(ctx, id, nil, func(Job) bool { return false })
	return exit, err
}

// waitUnless is Wait until stop, which gets the job after each change and for each value
// of also, returns true.
func (e *Engine) waitUnless(ctx context.Context, id ID, also <-chan struct{}, stop func(Job) bool) (exit Exit, stopped bool, err error) {
	rec, err := e.record(id)
	if err != nil {
		return Exit{}, false, err
	}
	if exit, ok := e.jobOf(rec).Ended(); ok {
		e.recorded(ctx, id, exit)
		return exit, false, nil
	}
	j, err := e.until(ctx, id, also, func(j Job) bool {
		stopped = stop(j)
		return stopped || j.Unrecorded != nil
	})
	if stopped {
		return Exit{}, true, err
	}
	if errors.Is(err, ErrNotFound) { // it may have ended and been cleared since the first look
		if rec, readErr := e.recordAnywhere(id); readErr == nil && rec.Finished() {
			return e.jobOf(rec).Exit, false, nil
		}
	}
	if u := j.Unrecorded; err == nil && u != nil && !j.Status.Finished() {
		return u.Exit, false, &Error{Op: "wait for", Job: id, Err: fmt.Errorf("%w: %s", ErrUnrecorded, u.Why), Hint: "make room: its holder tries on"}
	}
	if err == nil {
		e.recorded(ctx, id, j.Exit)
	}
	return j.Exit, false, err
}

// recordTime bounds the wait for the second of the two files that record an end.
const recordTime = time.Second

// recorded waits until an end is recorded whole: exit_code, which scripts read, is
// written after state.json, in which the end was seen.
func (e *Engine) recorded(ctx context.Context, id ID, exit Exit) {
	if exit.Code == nil || exit.Status == Lost {
		return
	}
	dir := e.root.Dir(string(id))
	for pause, end := time.Millisecond, time.Now().Add(recordTime); time.Now().Before(end); pause *= 2 {
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

// OnExit calls f once with the job's end, in a goroutine of its own: when it
// ends, or soon if it has ended and was not cleared more than five minutes ago.
// Of a job that is not known nothing is told. A call that has begun is not
// undone by cancel, nor waited for. f must not close the engine, which waits for
// it.
func (e *Engine) OnExit(id ID, f func(Exit)) (cancel func()) {
	if f == nil {
		return func() {}
	}
	ctx, stop := context.WithCancel(e.life)
	var settled atomic.Bool // by f or the cancel, whichever comes first
	started := e.goes(func() {
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

// exitOf waits for the job's end; ok is false if it is not to be told.
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

// cleared reads the records of a job that was cleared a short while ago.
func (e *Engine) cleared(id ID) (*jobdir.Record, error) {
	trash, err := e.root.InTrash()
	if err != nil {
		return nil, err
	}
	for _, t := range trash {
		if t.ID == string(id) && e.cfg.now().Sub(t.At) <= exitMemory {
			rec, err := jobdir.Read(e.root.TrashDir(t.ID))
			return &rec, err
		}
	}
	return nil, fs.ErrNotExist
}

// recordAnywhere reads the records of a job, also of one that has ended and is in
// the trash.
func (e *Engine) recordAnywhere(id ID) (*jobdir.Record, error) {
	rec, err := e.record(id)
	if errors.Is(err, ErrNotFound) && jobdir.ValidID(string(id)) {
		if trashed, readErr := jobdir.Read(filepath.Clean(e.root.TrashDir(string(id)))); readErr == nil && trashed.Finished() {
			return &trashed, nil
		}
	}
	return rec, err
}

// backgroundPatience bounds the recording of what has happened already.
const backgroundPatience = 10 * time.Second

// Background ends the waiting of every [Engine.Run] for the job, here and in
// other processes; the job runs on. The second time it does nothing. Who waits
// here goes on at once; that the job is in the background is then recorded, which
// may take ten seconds where a host or a holder does not answer. The error
// is ErrNotRunning if the job has ended.
func (e *Engine) Background(id ID) error {
	ctx, cancel := context.WithTimeout(context.Background(), backgroundPatience)
	defer cancel()
	run, j, err := e.running(ctx, "background", id)
	if err != nil {
		return err
	}
	e.tracking.sendAway(id)
	if j.Backgrounded {
		return nil
	}
	b, ok := run.(Backgrounder)
	if !ok {
		return nil
	}
	err = b.Background(ctx)
	if errors.Is(err, ErrNotRunning) {
		if now, readErr := e.read(ctx, id); readErr == nil && now.Backgrounded {
			return nil
		}
	}
	return fault("background", j, err)
}
