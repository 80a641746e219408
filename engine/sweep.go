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

// firstSlice bounds the slice that Close waits for, whatever a host does.
const firstSlice = 4 * jobdir.SweepSlice

// Sweep deletes what need not be kept any longer (see [Retention]), in slices of
// work with rests between them, until it is done or ctx is: the next call goes
// on. It does nothing when somebody else is at it or was within the last hour.
func (e *Engine) Sweep(ctx context.Context) error {
	for {
		done, err := e.sweepSlice(ctx)
		if done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(sweepPause):
		}
	}
}

func (e *Engine) sweepSlice(ctx context.Context) (done bool, err error) {
	r := e.cfg.retention
	done, err = e.root.Sweep(ctx, jobdir.SweepOptions{
		Keep: jobdir.Keep{Age: r.Age, Count: r.Count, Bytes: r.Bytes, Trash: r.TrashAge},
		Now:  e.cfg.now,
		Boot: e.here.boot, SinceBoot: e.cfg.sinceBoot,
		Ours:    func(rec *jobdir.Record) bool { return rec.Meta.Host != "" || e.here.judges(rec) },
		Release: e.release,
	})
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.Is(err, fs.ErrNotExist): // somebody deleted at the same time
		return false, nil
	case err != nil:
		return false, rootError(err)
	}
	return done, nil
}

// expired reports whether the sweep itself moved a job on a host to dir, in the trash.
// What another machine has started there is not for the retention of this one.
func expired(rec *jobdir.Record, dir string) bool {
	fi, err := os.Stat(dir)
	return err == nil && rec.Meta.Host != "" && jobdir.IsSwept(fi.ModTime())
}

// sweepSometimes sweeps beside everything else, at most once an hour. Close waits
// for its first slice, so that programs that live shortly get somewhere too; the
// others end with the engine.
func (e *Engine) sweepSometimes() {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.cfg.now()
	if !e.swept.IsZero() && now.Sub(e.swept) < jobdir.SweepEvery {
		return
	}
	e.swept = now
	e.goesLocked(func() {
		first, cancel := context.WithTimeout(context.WithoutCancel(e.life), firstSlice)
		done, err := e.sweepSlice(first)
		cancel()
		if !done && (err == nil || errors.Is(err, context.DeadlineExceeded)) {
			err = e.Sweep(e.life)
		}
		if err != nil && e.life.Err() == nil {
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
