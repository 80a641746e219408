package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
)

// sweepGrace is how long after its begin a sweep may go on although the engine is closed,
// so that programs that live shortly get somewhere too.
const sweepGrace = 50 * time.Millisecond

// Sweep deletes what need not be kept any longer (see [Retention]), until it is done or ctx
// is: the next call goes on. It does nothing when another program sweeps, or one has
// within the last hour. It waits for a sweep that this engine has begun by itself.
func (e *Engine) Sweep(ctx context.Context) error {
	select {
	case e.sweeping <- struct{}{}:
		defer func() { <-e.sweeping }()
	case <-ctx.Done():
		return ctx.Err()
	}
	r := e.cfg.retention
	err := e.root.Sweep(ctx, jobdir.SweepOptions{
		Keep: jobdir.Keep{Age: r.Age, Count: r.Count, Bytes: r.Bytes, Trash: r.TrashAge},
		Now:  e.cfg.now,
		Boot: e.here.boot, SinceBoot: e.cfg.sinceBoot,
		Ours:    func(rec *jobdir.Record) bool { return rec.Meta.Host != "" || e.here.judges(rec) },
		Release: e.release,
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil, errors.Is(err, fs.ErrNotExist): // another program deleted at the same time
		return nil
	}
	return rootError(err)
}

// expired reports whether the sweep itself moved a job on a host to dir, in the trash.
// What another machine has started there is not for the retention of this one.
func expired(rec *jobdir.Record, dir string) bool {
	fi, err := os.Stat(dir)
	return err == nil && rec.Meta.Host != "" && jobdir.IsSwept(fi.ModTime())
}

// sweepSometimes sweeps beside everything else, at most once an hour.
func (e *Engine) sweepSometimes() {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.cfg.now()
	if !e.swept.IsZero() && now.Sub(e.swept) < jobdir.SweepEvery {
		return
	}
	e.swept = now
	e.goesLocked(func() {
		ctx, cancel := context.WithCancel(context.WithoutCancel(e.life))
		defer cancel()
		begun := time.Now()
		context.AfterFunc(e.life, func() { time.AfterFunc(sweepGrace-time.Since(begun), cancel) })
		if err := e.Sweep(ctx); err != nil && e.life.Err() == nil {
			e.log.Warn("old jobs cannot be swept", "err", err)
		}
	})
}

// removeSocketOf removes the socket of the ended job in dir, if its holder was
// killed at the very end and could not.
func removeSocketOf(dir string) {
	if st, err := jobdir.ReadState(dir); err == nil && st.Socket != "" && !jobdir.Locked(dir) {
		removeSocket(st.Socket)
	}
}

// removeSocket removes what a holder that died has left behind. Only a socket is
// removed, whatever the record says.
func removeSocket(path string) {
	fi, err := os.Lstat(path)
	if err == nil && fi.Mode().Type() == fs.ModeSocket {
		os.Remove(path)
	}
}
