package queue

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/plainfile"
)

// View is the content of a queue at one moment.
type View struct {
	Settings
	Entries  []Entry // in the order in which the jobs start
	LockedBy string  // the process that keeps the queue locked for long, if any; no job starts
	byID     map[string]int
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
	missing := errors.Is(err, os.ErrNotExist) || errors.Is(err, plainfile.ErrNotRegular)
	if err != nil && !missing {
		return v, err
	}
	v.Settings = parseSettings(string(text))
	v.LockedBy = lockHolder(dir)
	for _, n := range names {
		if e, ok := ParseEntry(n.Name()); ok {
			v.Entries = append(v.Entries, e)
		}
	}
	slices.SortFunc(v.Entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), strings.Compare(a.ID, b.ID))
	})
	v.byID = make(map[string]int, len(v.Entries))
	for i, e := range v.Entries {
		v.byID[e.ID] = i
	}
	return v, nil
}

// Find returns the entry of a job.
func (v *View) Find(id string) (Entry, bool) {
	i, ok := v.byID[id]
	if !ok {
		return Entry{}, false
	}
	return v.Entries[i], true
}

// next returns the number for a job at the end.
func (v *View) next() uint64 {
	last := uint64(firstSeq)
	if n := len(v.Entries); n > 0 {
		last = max(last, v.Entries[n-1].Seq)
	}
	return last + 1
}

// Pending returns why the job of a request has not started.
func (v *View) Pending(id string, r *record.Request) *record.Pending {
	p := &record.Pending{Name: r.Queue, Reason: "starting"}
	e, ok := v.Find(id)
	if !ok {
		return p
	}
	switch e.State {
	case After:
		p.After = slices.Concat(r.After, r.AfterAny)
		p.Reason = AfterReason(p.After)
	case Canceled:
		p.Reason = "being stopped"
	case Waiting:
		ahead := 0
		for _, other := range v.Entries[:v.byID[id]] {
			if other.State == Waiting {
				ahead++
			}
		}
		p.Position, p.Paused = ahead+1, v.Paused
		p.Reason = waiting(ahead, v.Paused)
	case Now, Running:
	}
	if v.LockedBy != "" && e.State.mayStart() {
		p.Reason = "waiting for " + v.LockedBy + ", which has the queue locked"
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

// AfterReason is the reason of a job that waits for others.
func AfterReason(ids []record.ID) string {
	names := make([]string, 0, maxListed)
	for _, id := range ids {
		if len(names) == maxListed {
			return fmt.Sprintf("after %s and %d more", strings.Join(names, ", "), len(ids)-maxListed)
		}
		names = append(names, string(id))
	}
	return "after " + strings.Join(names, ", ")
}
