//go:build linux || darwin

package hostjob

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/plainfile"
)

// A holder that hangs looks like one that has nothing to do. Only a question shows the difference, and that takes more
// processor time than everything else that a listing does for a job. So each listing asks only some of the holders: the
// next ones in the order of their names, and those that did not answer before. All listings of a host share that order.
const (
	// asksFile is the file with an asks, beside the directories of jobs.
	asksFile = ".asked"
	// asksAtOnce is the maximum number of holders that a listing asks if it waits for their answers.
	asksAtOnce = 32
	// asksBriefly is the maximum number for a listing that does not wait.
	asksBriefly = 16
	// asksEvery is the minimum time after which listings that do not wait ask a holder again.
	asksEvery = 10 * time.Second
	// silentFor is how long a holder does not answer before such a listing reports its job as unreachable: as long as a
	// list of the machine's own jobs waits for an answer.
	silentFor = 4 * time.Second
)

// asks is which holders were asked, and what came of it.
type asks struct {
	Last   string             `json:"last"`   // the last job of the turn
	At     time.Time          `json:"at"`     // of the last turn of a listing that did not wait
	Silent map[string]silence `json:"silent"` // by job

	file string
	read []byte // its content
}

// silence is that of a holder that was asked.
type silence struct {
	Since time.Time `json:"since"`
	Why   string    `json:"why"`
}

// readAsks returns what earlier listings in base have left. Without it the turn begins anywhere.
func readAsks(base string) *asks {
	a := &asks{file: filepath.Join(base, asksFile)}
	a.read, _ = plainfile.Read(a.file, maxAsks)
	if json.Unmarshal(a.read, a) != nil || a.Silent == nil {
		a.Silent = map[string]silence{}
	}
	return a
}

// maxAsks limits the size of asksFile, in bytes.
const maxAsks = 4 << 20

// choose returns those of the jobs whose holders a listing at now asks, and notes it. patient means that it waits for
// the answers.
func (a *asks) choose(jobs []string, patient bool, now time.Time) map[string]bool {
	n := asksAtOnce
	if !patient {
		n = asksBriefly
	}
	due := map[string]bool{}
	for _, id := range jobs {
		if _, silent := a.Silent[id]; silent && len(due) < n {
			due[id] = true
		}
	}
	if n = min(n, len(jobs)); !patient {
		passed := min(now.Sub(a.At).Abs(), asksEvery)
		n = min(n, len(jobs)*int(passed/time.Millisecond)/int(asksEvery/time.Millisecond))
	}
	if n == 0 {
		return due
	}
	jobs = slices.Sorted(slices.Values(jobs))
	next, found := slices.BinarySearch(jobs, a.Last)
	switch {
	case a.Last == "":
		next = int(now.UnixNano() % int64(len(jobs)))
	case found:
		next++
	}
	for i := range n {
		due[jobs[(next+i)%len(jobs)]] = true
	}
	if n < len(jobs) { // a look at few jobs does not disturb the turn of many
		a.Last = jobs[(next+n-1)%len(jobs)]
	}
	if !patient {
		a.At = now
	}
	return due
}

// judge completes the state of the job id, whose holder a listing at now has asked if it was due.
func (a *asks) judge(id string, s *record.State, due, patient bool, now time.Time) {
	found := s.Link == record.LinkUnreachable
	was, silent := a.Silent[id]
	switch {
	case !found && (due || s.Status.Finished()):
		delete(a.Silent, id)
		return
	case !found && !silent:
		return
	case !found: // not asked again: too many are silent
		s.Link, s.LinkError = record.LinkUnreachable, was.Why
	case !silent:
		was.Since = now
	}
	was.Why = s.LinkError
	a.Silent[id] = was
	switch long := now.Sub(was.Since) >= silentFor; {
	case !long && !patient: // it may only be slow
		s.Link, s.LinkError, s.StaleSince = record.LinkNone, "", time.Time{}
	case s.StaleSince.IsZero():
		s.StaleSince = was.Since
	}
}

// save leaves a for later listings in base, if it has changed. They can do without it.
func (a *asks) save(base string) {
	maps.DeleteFunc(a.Silent, func(id string, _ silence) bool { return !jobdir.Locked(filepath.Join(base, id)) })
	text, err := json.Marshal(a)
	if err == nil && !bytes.Equal(text, a.read) {
		_ = atomicfile.Write(a.file, text)
	}
}
