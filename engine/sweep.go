package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/hobjobs/hob/internal/jobdir"
)

// sweepPause is how long a sweep rests between two slices of work.
const sweepPause = 200 * time.Millisecond

// Sweep deletes what need not be kept any longer (see [Retention]), in slices of
// work with rests between them, until it is done or ctx is: the next call goes
// on. It does nothing when somebody else is at it or was within the last hour.
func (e *Engine) Sweep(ctx context.Context) error {
	r := e.cfg.retention
	o := jobdir.SweepOptions{
		Keep: jobdir.Keep{Age: r.Age, Count: r.Count, Bytes: r.Bytes, Trash: r.TrashAge},
		Now:  e.cfg.now,
		Ours: func(rec *jobdir.Record) bool { return rec.Meta.Host != "" || e.here.judges(rec) },
		Release: func(ctx context.Context, rec *jobdir.Record, dir string) error {
			b, ok := e.backend(rec.Meta.Backend).(Remover)
			if !ok {
				return nil
			}
			return b.Remove(ctx, Record{ID: ID(rec.ID), Token: rec.Meta.Token, Dir: dir, Job: jobOf(rec, dir)})
		},
	}
	for {
		done, err := e.root.Sweep(ctx, o)
		switch {
		case errors.Is(err, fs.ErrNotExist): // somebody deleted at the same time
		case err != nil && ctx.Err() == nil:
			return rootError(err)
		}
		if done || ctx.Err() != nil {
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(sweepPause):
		}
	}
}

// sweepSometimes sweeps beside everything else, at most once an hour, for as
// long as the engine is open.
func (e *Engine) sweepSometimes() {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.cfg.now()
	if !e.swept.IsZero() && now.Sub(e.swept) < jobdir.SweepEvery {
		return
	}
	e.swept = now
	e.goesLocked(func() {
		if err := e.Sweep(e.life); err != nil && e.life.Err() == nil {
			e.log.Warn("old jobs cannot be swept", "err", err)
		}
	})
}

// removeSocket removes what a holder that died has left behind. Only a socket is
// removed, whatever the record says.
func removeSocket(path string) {
	fi, err := os.Lstat(path)
	if err == nil && fi.Mode().Type() == fs.ModeSocket {
		os.Remove(path) //nolint:errcheck // a socket nobody answers does no harm
	}
}
