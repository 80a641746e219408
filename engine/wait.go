package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
)

// waitUntil waits for a state of the job for which ok returns true, or for its end. It calls ok
// after each change and for each value received from also.
func (h *Handle) waitUntil(ctx context.Context, also <-chan struct{}, ok func(Job) bool) (Job, error) {
	t, release, err := h.follow(ctx)
	if err != nil {
		return Job{}, err
	}
	defer release()
	for {
		j, changed, err := t.now()
		switch {
		case err != nil, j.Status.Finished(), ok(j):
			return j, err
		}
		select {
		case <-changed:
		case <-also:
		case <-ctx.Done():
			return j, ctx.Err()
		case <-h.e.runCtx.Done():
			return j, &Error{Op: "wait for", Job: h.id, Err: ErrClosed}
		}
	}
}

// Wait returns when the job has ended, in whichever program, and the end is recorded. It keeps
// waiting while a host cannot be reached. It returns ErrNotFound, ErrElsewhere, ErrClosed, the
// error of ctx, or ErrUnrecorded together with the exit if there is no room to record it.
func (h *Handle) Wait(ctx context.Context) (Exit, error) {
	exit, _, err := h.waitUnless(ctx, nil, func(Job) bool { return false })
	return exit, err
}

// waitUnless is like Wait, but also returns when stop returns true. It calls stop with the job
// after each change and for each value received from also.
func (h *Handle) waitUnless(ctx context.Context, also <-chan struct{}, stop func(Job) bool) (exit Exit, stopped bool, err error) {
	rec, err := h.e.record(h.id)
	if err != nil {
		return Exit{}, false, err
	}
	if exit, ok := h.e.jobOf(rec).Ended(); ok {
		h.waitRecorded(ctx, exit)
		return exit, false, nil
	}
	j, err := h.waitUntil(ctx, also, func(j Job) bool {
		stopped = stop(j)
		return stopped || j.Unrecorded != nil
	})
	if stopped {
		return Exit{}, true, err
	}
	if errors.Is(err, ErrNotFound) { // it may have ended and been cleared since the first read
		if exit, ended := h.e.recordedEnd(h.id); ended {
			return exit, false, nil
		}
	}
	if u := j.Unrecorded; err == nil && u != nil {
		return u.Exit, false, h.unrecorded(j)
	}
	if err == nil {
		h.waitRecorded(ctx, j.Exit)
	}
	return j.Exit, false, err
}

// unrecorded is the error of waiting for a job whose end cannot be recorded.
func (h *Handle) unrecorded(j Job) error {
	return &Error{
		Op:   "wait for",
		Job:  h.id,
		Err:  fmt.Errorf("%w: %s", ErrUnrecorded, j.Unrecorded.Why),
		Hint: "free disk space: the job's holder keeps trying",
	}
}

// recordTimeout bounds the wait for the second of the two files that record an end. Writing it may
// take a while on a slow disk.
const recordTimeout = 5 * time.Second

// waitRecorded waits until an end is completely recorded: exit_code, which scripts read, is written
// after state.json, in which the end was seen.
func (h *Handle) waitRecorded(ctx context.Context, exit Exit) {
	if exit.Code == nil || exit.Status == Lost {
		return
	}
	dir := h.e.root.Dir(string(h.id))
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

// recordedEnd returns the end of a job, which may be in the trash; false if none is recorded.
func (e *Engine) recordedEnd(id ID) (Exit, bool) {
	rec, err := e.recordAnywhere(id)
	if err != nil || !rec.Finished() {
		return Exit{}, false
	}
	return e.jobOf(rec).Exit, true
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
func (h *Handle) Background() error {
	ctx, cancel := context.WithTimeout(context.Background(), backgroundTimeout)
	defer cancel()
	run, j, err := h.running(ctx, "background")
	if err != nil {
		return err
	}
	h.e.tracking.markBackgrounded(h.id)
	if j.Backgrounded {
		return nil
	}
	err = run.Background(ctx)
	if errors.Is(err, ErrNotRunning) {
		if now, readErr := h.e.read(ctx, h.id); readErr == nil && now.Backgrounded {
			return nil
		}
	}
	return opError("background", j, err)
}
