// Package queue reads and changes the queues of a state directory, for clients. Package turn has the
// format, and waits in the holders of the jobs.
package queue

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/turn"
	"github.com/hobjobs/hob/internal/watch"
)

// Default is the name of the queue of jobs that name none.
const Default = "default"

// unnamed is the queue of jobs that wait for other jobs only.
const unnamed = ".after"

// Dir returns the directory of the queue name below the directory of all queues. The empty name is
// that of the jobs that need no slot.
func Dir(queues, name string) string {
	if name == "" {
		name = unnamed
	}
	return filepath.Join(queues, name)
}

// NameHint is how to choose a valid name.
const NameHint = "use 1 to 64 letters, digits, '-', '_' and '.', and begin with a letter, a digit or '_'"

// ValidName reports whether name can be that of a queue.
func ValidName(name string) bool {
	if name == "" || len(name) > 64 || strings.ContainsAny(name[:1], ".-") {
		return false
	}
	const valid = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	return strings.Trim(name, valid) == ""
}

// Names lists the queues, sorted.
func Names(queues string) ([]string, error) {
	entries, err := os.ReadDir(queues)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && ValidName(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// View is the content of a queue at one moment.
type View struct {
	turn.Settings
	Entries []turn.Entry // in the order in which the jobs start
	byID    map[string]int
}

// maxSettings limits the size of the file with a queue's settings, in bytes.
const maxSettings = 64 << 10

// Read reads the queue in dir. An entry counts only while the lock of its job is held, which Read does
// not check.
func Read(dir string) (View, error) {
	var v View
	names, err := os.ReadDir(filepath.Join(dir, "jobs"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return v, err
	}
	text, err := plainfile.Read(filepath.Join(dir, "settings"), maxSettings)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return v, err
	}
	v.Settings = turn.ParseSettings(text)
	for _, n := range names {
		if e, ok := turn.Parse(n.Name()); ok {
			v.Entries = append(v.Entries, e)
		}
	}
	slices.SortFunc(v.Entries, func(a, b turn.Entry) int {
		switch {
		case a.Seq < b.Seq:
			return -1
		case a.Seq > b.Seq:
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	})
	v.byID = make(map[string]int, len(v.Entries))
	for i, e := range v.Entries {
		v.byID[e.ID] = i
	}
	return v, nil
}

// Find returns the entry of a job.
func (v *View) Find(id string) (turn.Entry, bool) {
	i, ok := v.byID[id]
	if !ok {
		return turn.Entry{}, false
	}
	return v.Entries[i], true
}

// Pending returns why the job of a request has not started.
func (v *View) Pending(id string, r *record.Request) *record.Pending {
	p := &record.Pending{Name: r.Queue, Reason: "starting"}
	e, ok := v.Find(id)
	if !ok {
		return p
	}
	switch e.State {
	case turn.After:
		p.After = slices.Concat(r.After, r.AfterAny)
		p.Reason = After(p.After)
	case turn.Cancelled:
		p.Reason = "being stopped"
	case turn.Waiting:
		ahead := 0
		for _, other := range v.Entries[:v.byID[id]] {
			if other.State == turn.Waiting {
				ahead++
			}
		}
		p.Position, p.Paused = ahead+1, v.Paused
		p.Reason = waiting(ahead, v.Paused)
	case turn.Now, turn.Running:
	}
	return p
}

func waiting(ahead int, paused bool) string {
	text := "waiting for a slot"
	if paused {
		text = "the queue is paused"
	}
	if ahead > 0 {
		text += fmt.Sprintf(" (%d ahead)", ahead)
	}
	return text
}

// maxListed is how many jobs a reason names.
const maxListed = 3

// After is the reason of a job that waits for others.
func After(ids []record.ID) string {
	names := make([]string, 0, maxListed)
	for _, id := range ids {
		if len(names) == maxListed {
			return fmt.Sprintf("after %s and %d more", strings.Join(names, ", "), len(ids)-maxListed)
		}
		names = append(names, string(id))
	}
	return "after " + strings.Join(names, ", ")
}

const (
	// followPause is the minimum time between two looks at a queue that changes.
	followPause = 30 * time.Millisecond
	// cleanEvery is how often a client that follows a queue looks for jobs whose holder was killed: if
	// no other job waits behind them, no other process would notice.
	cleanEvery = time.Second
)

// Follower reads a queue whenever it changes. All followers of a queue in this program share it.
type Follower struct {
	dir  string
	stop chan struct{}
	done chan struct{}

	mu      sync.Mutex
	view    View
	changed chan struct{} // closed at the next change
}

// followers are those of this program, by directory.
var followers struct {
	mu    sync.Mutex
	byDir map[string]*Follower
	users map[*Follower]int
}

// Follow returns the follower of the queue in dir. leave must be called once.
func Follow(dir string) (f *Follower, leave func()) {
	followers.mu.Lock()
	defer followers.mu.Unlock()
	f = followers.byDir[dir]
	if f == nil {
		f = &Follower{dir: dir, stop: make(chan struct{}), done: make(chan struct{}), changed: make(chan struct{})}
		w := watch.Dir(filepath.Join(dir, "jobs"))
		s := watch.Dir(dir) // its settings
		f.read()
		go f.run(w, s)
		if followers.byDir == nil {
			followers.byDir, followers.users = map[string]*Follower{}, map[*Follower]int{}
		}
		followers.byDir[dir] = f
	}
	followers.users[f]++
	return f, sync.OnceFunc(func() { unfollow(f) })
}

func unfollow(f *Follower) {
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

// Now returns the queue, and a channel that is closed when it may have changed.
func (f *Follower) Now() (*View, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := f.view
	return &v, f.changed
}

func (f *Follower) read() {
	v, err := Read(f.dir)
	if err != nil {
		return // the next change or look tries again
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.view = v
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *Follower) run(entries, settings *watch.Watcher) {
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
			Clean(f.dir) // which is a change
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
