//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// look is how often a log is looked at. Every supervisor pays the same for it.
const look = 50 * time.Microsecond

// logWatch finds the logs of jobs that are new.
type logWatch struct {
	dir  string
	path func(string) string
	seen map[string]bool // entries
	last time.Time       // when the last one was found
}

// watchLogs takes the logs that are there as known.
func watchLogs(s supervisor) (*logWatch, error) {
	w := &logWatch{seen: map[string]bool{}}
	w.dir, w.path = s.logs()
	names, err := w.names()
	for _, n := range names {
		w.seen[n] = true
	}
	return w, err
}

func (w *logWatch) names() ([]string, error) {
	dir, err := os.Open(w.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}

// next waits until n new logs are not empty, and returns their paths, with an error
// when there are fewer. Of a log that was counted nothing is asked again.
func (w *logWatch) next(ctx context.Context, n int, every time.Duration) ([]string, error) {
	var found []string
	for {
		names, err := w.names()
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if w.seen[name] {
				continue
			}
			path := w.path(name)
			if path == "" {
				continue
			}
			if info, err := os.Stat(path); err == nil && info.Size() > 0 {
				w.seen[name] = true
				w.last = time.Now()
				found = append(found, path)
			}
		}
		if len(found) >= n {
			return found, nil
		}
		if ctx.Err() != nil {
			return found, fmt.Errorf("%d of %d logs that are not empty in %s: %w", len(found), n, w.dir, ctx.Err())
		}
		pause(every)
	}
}

// sizeOf waits until the log has size bytes.
func sizeOf(ctx context.Context, path string, size int64) error {
	for {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if info.Size() >= size {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%d of %d bytes in %s: %w", info.Size(), size, path, ctx.Err())
		}
		pause(time.Millisecond)
	}
}
