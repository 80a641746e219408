package engine

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/internal/jobdir"
)

// logTimes returns the recorded times of a job of this machine; nil if there are none. The holder creates their file
// with the first output, so that of a job that runs may not exist yet.
func (h *Handle) logTimes(j Job) joblog.Times {
	dir := h.e.root.Dir(string(h.id))
	times, err := jobdir.OpenTimes(dir)
	switch {
	case err == nil:
		return times
	case !errors.Is(err, fs.ErrNotExist):
		h.e.log.Debug("cannot read times", "job", h.id, "err", err)
	case !j.Status.Finished():
		return &lateTimes{dir: dir}
	}
	return nil
}

// lateTimes are times whose file is opened once it exists.
type lateTimes struct {
	dir string

	mu     sync.Mutex
	opened *jobdir.Times
}

func (l *lateTimes) WrittenAt(ctx context.Context, off int64) (at time.Time, ok bool) {
	times := l.times()
	if times == nil {
		return time.Time{}, false
	}
	return times.WrittenAt(ctx, off)
}

func (l *lateTimes) times() *jobdir.Times {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened == nil {
		l.opened, _ = jobdir.OpenTimes(l.dir) // without it, the time is not known
	}
	return l.opened
}

func (l *lateTimes) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened == nil {
		return nil
	}
	return l.opened.Close()
}
