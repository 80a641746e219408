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

// Sweep deletes jobs whose retention (see [Retention]) has passed, until it is done or ctx is; the
// next call continues. It does nothing if another program is sweeping or has swept within the last
// hour. It waits for a sweep that this engine has started on its own.
func (e *Engine) Sweep(ctx context.Context) error {
	select {
	case e.sweeping <- struct{}{}:
		defer func() { <-e.sweeping }()
	case <-ctx.Done():
		return ctx.Err()
	}
	r := e.cfg.retention
	err := e.root.Sweep(ctx, statedir.SweepOptions{
		Keep: statedir.Keep{Age: r.Age, Count: r.Count, Bytes: r.Bytes, Trash: r.TrashAge},
		Now:  e.cfg.now,
		Boot: e.here.boot, SinceBoot: e.cfg.sinceBoot,
		Ours:    func(rec *jobdir.Record) bool { return rec.Meta.Host != "" || e.here.canJudge(rec) },
		Release: e.release,
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil, errors.Is(err, fs.ErrNotExist): // or another program deleted it at the same time
		return nil
	}
	return rootError(err)
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
		if err := e.Sweep(ctx); err != nil && e.runCtx.Err() == nil {
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
