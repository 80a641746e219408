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

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/turn"
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
	return !strings.ContainsFunc(name, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("-_.", c)
	})
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

// Read reads the queue in dir. An entry counts only while the lock of its job is held, which Read does
// not check.
func Read(dir string) (View, error) {
	var v View
	names, err := os.ReadDir(filepath.Join(dir, "jobs"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return v, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "settings"))
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
