package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/statedir"
)

// sweepGrace is how long after its start a sweep may continue although the engine is closed, so
// that short-lived programs make progress too.
const sweepGrace = 50 * time.Millisecond

// sweep deletes jobs whose retention (see [Retention]) has passed, until it is done or ctx is; the
// next call continues. It does nothing if another program is sweeping or has swept within the last
// hour. It waits for a sweep that this engine has started on its own.
func (e *Engine) sweep(ctx context.Context) error {
	select {
	case e.sweeping <- struct{}{}:
		defer func() { <-e.sweeping }()
	case <-ctx.Done():
		return ctx.Err()
	}
	r := e.cfg.retention
	err := e.root.Sweep(ctx, statedir.SweepOptions{
		Keep: statedir.Keep{
			Age:   r.Age,
			Count: r.Count,
			Bytes: r.Bytes,
			Trash: r.TrashAge,
		},
		Now:       e.cfg.now,
		Boot:      e.here.boot,
		SinceBoot: e.cfg.sinceBoot,
		Ours:      e.mayExpire,
		Release:   e.release,
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil, errors.Is(err, fs.ErrNotExist): // or another program deleted it at the same time
		return nil
	}
	return rootError(err)
}

// mayExpire reports whether a sweep of this machine may delete a job: not while processes that it left
// still run.
func (e *Engine) mayExpire(rec *jobdir.Record) bool {
	if rec.Meta.Host != "" {
		return true
	}
	return e.here.canJudge(rec) && !e.jobOf(rec).LeftRunning()
}

// expired reports whether the sweep itself moved a job on a host to dir, in the trash. Jobs started
// by another machine are not subject to this machine's retention.
func expired(rec *jobdir.Record, dir string) bool {
	fi, err := os.Stat(dir)
	return err == nil && rec.Meta.Host != "" && statedir.IsSwept(fi.ModTime())
}

// sweepSometimes sweeps in the background, at most once an hour.
func (e *Engine) sweepSometimes() {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.cfg.now()
	if !e.swept.IsZero() && now.Sub(e.swept) < statedir.SweepEvery {
		return
	}
	e.swept = now
	e.spawnLocked(func() {
		ctx, cancel := context.WithCancel(context.WithoutCancel(e.runCtx))
		defer cancel()
		begun := time.Now()
		context.AfterFunc(e.runCtx, func() { time.AfterFunc(sweepGrace-time.Since(begun), cancel) })
		if err := e.sweep(ctx); err != nil && e.runCtx.Err() == nil {
			e.log.Warn("cannot sweep old jobs", "err", err)
		}
	})
}

// removeSocketOf removes the socket of the ended job in dir, if its holder was killed before it
// could.
func removeSocketOf(dir string) {
	if st, err := jobdir.ReadState(dir); err == nil && st.Socket != "" && !jobdir.Locked(dir) {
		removeSocket(st.Socket)
	}
}

// removeSocket removes the socket of a holder that died. It removes nothing but sockets, whatever
// path the record has.
func removeSocket(path string) {
	fi, err := os.Lstat(path)
	if err == nil && fi.Mode().Type() == fs.ModeSocket {
		os.Remove(path)
	}
}

// discardAll deletes finished jobs without the trash.
func (e *Engine) discardAll(ctx context.Context, ids []ID) ([]Job, error) {
	jobs, err := e.finished(ctx, "discard", ids)
	if err != nil {
		return nil, err
	}
	return e.eachRemoved("discard", jobs, func(j Job) error { return e.discard(ctx, j) })
}

func (e *Engine) discard(ctx context.Context, j Job) error {
	removeSocketOf(e.root.Dir(string(j.ID)))
	dir, err := e.root.Discard(string(j.ID))
	if err != nil {
		return removalError(err)
	}
	if b, ok := e.backend(j.Backend).(Remover); ok {
		if err := b.Remove(ctx, Record{
			ID:  j.ID,
			Dir: dir,
			Job: j,
		}); err != nil {
			return opError("discard", j, err)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return rootError(err)
	}
	return nil
}

// EmptyTrash permanently deletes cleared jobs and returns them. A job that also has to be deleted
// on an unreachable host stays in the trash and is reported in the error.
func (e *Engine) EmptyTrash(ctx context.Context) ([]Job, error) {
	if e.isClosed() {
		return nil, &Error{Op: "empty the trash", Err: ErrClosed}
	}
	recs, err := e.root.EmptyTrash(ctx, e.release)
	jobs := make([]Job, len(recs))
	for i, rec := range recs {
		jobs[i] = e.jobOf(rec)
	}
	return jobs, opError("empty the trash", Job{}, err)
}

// makeRoom empties the trash and reports whether anything was deleted. It skips jobs of hosts:
// their logs are on the host, and the caller should not wait for a host here.
func (e *Engine) makeRoom(ctx context.Context) bool {
	recs, err := e.root.EmptyTrash(ctx, func(ctx context.Context, rec *jobdir.Record, dir string) error {
		if rec.Meta.Host != "" {
			return ErrUnsupported
		}
		return e.release(ctx, rec, dir)
	})
	e.log.Info("the disk is full: the trash was emptied", "jobs", len(recs), "err", err)
	return len(recs) > 0
}

// release deletes what a backend keeps of a job elsewhere, before the job's directory dir is
// deleted.
func (e *Engine) release(ctx context.Context, rec *jobdir.Record, dir string) error {
	removeSocketOf(dir)
	if jobdir.Abandoned(dir) || expired(rec, dir) && rec.Meta.ClientMachine != e.here.machine {
		return nil
	}
	b, ok := e.backend(rec.Meta.Backend).(Remover)
	if !ok {
		return nil
	}
	return b.Remove(ctx, Record{
		ID:  ID(rec.ID),
		Dir: dir,
		Job: jobOf(rec, dir),
	})
}
