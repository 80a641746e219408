package localclient

import (
	"path/filepath"
	"sync"
	"time"

	"github.com/hobjobs/hob/internal/queue"
	"github.com/hobjobs/hob/internal/watch"
)

const (
	// followPause is the minimum time between two looks at a queue that changes.
	followPause = 30 * time.Millisecond
	// cleanEvery is how often a client that follows a queue looks for jobs whose holder was killed: if
	// no other job waits behind them, no other process would notice.
	cleanEvery = time.Second
)

// follower reads a queue whenever it changes. All followers of a queue in this program share it.
type follower struct {
	dir  string
	stop chan struct{}
	done chan struct{}

	mu      sync.Mutex
	view    queue.View
	changed chan struct{} // closed at the next change
}

// followers are those of this program, by directory.
var followers struct {
	mu    sync.Mutex
	byDir map[string]*follower
	users map[*follower]int
}

// followQueue returns the follower of the queue in dir. leave must be called once.
func followQueue(dir string) (f *follower, leave func()) {
	followers.mu.Lock()
	defer followers.mu.Unlock()
	f = followers.byDir[dir]
	if f == nil {
		f = &follower{dir: dir, stop: make(chan struct{}), done: make(chan struct{}), changed: make(chan struct{})}
		w := watch.Dir(filepath.Join(dir, "jobs"))
		s := watch.Dir(dir) // its settings
		f.read()
		go f.run(w, s)
		if followers.byDir == nil {
			followers.byDir, followers.users = map[string]*follower{}, map[*follower]int{}
		}
		followers.byDir[dir] = f
	}
	followers.users[f]++
	return f, sync.OnceFunc(func() { unfollow(f) })
}

func unfollow(f *follower) {
	followers.mu.Lock()
	defer followers.mu.Unlock()
	if followers.users[f]--; followers.users[f] > 0 {
		return
	}
	delete(followers.users, f)
	delete(followers.byDir, f.dir)
	close(f.stop)
	<-f.done
}

// now returns the queue, and a channel that is closed when it may have changed.
func (f *follower) now() (*queue.View, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := f.view
	return &v, f.changed
}

func (f *follower) read() {
	v, err := queue.Read(f.dir)
	if err != nil {
		return // the next change or look tries again
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.view = v
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *follower) run(entries, settings *watch.Watcher) {
	defer close(f.done)
	defer entries.Close()
	defer settings.Close()
	clean := time.NewTicker(cleanEvery)
	defer clean.Stop()
	for {
		select {
		case <-f.stop:
			return
		case <-entries.C:
		case <-settings.C:
		case <-clean.C:
			queue.Clean(f.dir) // which is a change
			continue
		}
		f.read()
		select {
		case <-f.stop:
			return
		case <-time.After(followPause):
		}
	}
}
