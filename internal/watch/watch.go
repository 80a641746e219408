// Package watch notifies the caller when entries of a directory are created, removed or renamed. A
// notification does not name them; the receiver reads the directory itself.
//
// It uses the system's notifications (inotify, kqueue, ReadDirectoryChangesW). Where they are not
// available, or while the directory does not exist, it polls the directory's modification time once
// a second.
//
//	w := watch.Dir(path)
//	defer w.Close()
//	for range w.C {
//		…
//	}
package watch

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Every is the polling interval for a directory that cannot be watched.
const Every = time.Second

// Watcher watches one directory until Close.
type Watcher struct {
	// C receives a value after each change. Changes that occur before the last value was received
	// are coalesced into it. C is closed after Close.
	C <-chan struct{}

	c    chan struct{}
	ops  fsnotify.Op // what counts as a change
	stop context.CancelFunc
	wg   sync.WaitGroup
}

// Dir watches the directory at path, which need not exist yet. Changes made after it returns are
// reported.
func Dir(path string) *Watcher { return begin(path, entries) }

// Files is Dir that also reports writes to files in the directory, where the system supports that.
func Files(path string) *Watcher { return begin(path, entries|fsnotify.Write) }

// entries are the changes of a directory's entries.
const entries = fsnotify.Create | fsnotify.Remove | fsnotify.Rename

func begin(path string, ops fsnotify.Op) *Watcher {
	c := make(chan struct{}, 1)
	ctx, stop := context.WithCancel(context.Background())
	w := &Watcher{C: c, c: c, ops: ops, stop: stop}
	events := open(path)
	seen := changedAt(path)
	w.wg.Go(func() {
		defer close(c)
		w.run(ctx, path, events, seen)
	})
	return w
}

// Close stops watching. It may be called more than once.
func (w *Watcher) Close() error {
	w.stop()
	w.wg.Wait()
	return nil
}

func (w *Watcher) notify() {
	select {
	case w.c <- struct{}{}:
	default:
	}
}

// open returns nil if the directory cannot be watched at the moment.
func open(path string) *fsnotify.Watcher {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return nil
	}
	if err := events.Add(path); err != nil {
		events.Close()
		return nil
	}
	return events
}

func changedAt(path string) time.Time {
	fi, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return fi.ModTime()
}

func (w *Watcher) run(ctx context.Context, path string, events *fsnotify.Watcher, seen time.Time) {
	tick := time.NewTicker(Every)
	defer tick.Stop()
	defer func() {
		if events != nil {
			events.Close()
		}
	}()
	for ctx.Err() == nil {
		if events != nil {
			w.listen(ctx, path, events)
			events.Close()
			events = nil
			seen = time.Time{}
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := changedAt(path)
		if !now.Equal(seen) {
			seen = now
			w.notify()
		}
		if now.IsZero() {
			continue
		}
		if events = open(path); events != nil {
			w.notify() // there may have been changes before the watch
			tick.Reset(Every)
		}
	}
}

// listen returns when ctx is done or the directory can no longer be watched.
func (w *Watcher) listen(ctx context.Context, path string, events *fsnotify.Watcher) {
	for {
		select {
		case <-ctx.Done():
			return
		case ev, ok := <-events.Events:
			if !ok {
				return
			}
			if ev.Name == path && ev.Has(fsnotify.Remove|fsnotify.Rename) {
				w.notify()
				return
			}
			if ev.Op&w.ops != 0 {
				w.notify()
			}
		case _, ok := <-events.Errors:
			if !ok {
				return
			}
			w.notify() // events may have been lost
		}
	}
}
