//go:build linux || darwin

package hostjob

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/localclient"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/proc"
)

// list returns the states of jobs in base. Each of the asked is a name, or NAME=SUM for a job that the
// client knows.
func list(ctx context.Context, base string, asked []string) Listing {
	sums := make(map[string]string, len(asked))
	dirs := make([]string, 0, len(asked))
	for _, a := range asked {
		id, sum, _ := strings.Cut(a, "=")
		if jobdir.ValidID(id) {
			sums[id] = sum
			dirs = append(dirs, filepath.Join(base, id))
		}
	}
	now := time.Now()
	l := Listing{
		Now:  now,
		Up:   record.InMilliseconds(proc.RunningAt(now)),
		Boot: proc.BootID(),
		Jobs: make(map[string]*Job, len(dirs)),
	}
	states, err := localclient.LookAll(ctx, dirs, false)
	if err != nil {
		return l
	}
	for _, dir := range dirs {
		id := filepath.Base(dir)
		j := jobOf(dir, states[dir])
		if j.Sum = sumOf(j); j.Sum == sums[id] {
			j = &Job{Sum: j.Sum, Same: true}
		}
		l.Jobs[id] = j
	}
	return l
}

// sumOf returns a hash of j.
func sumOf(j *Job) string {
	text, err := json.Marshal(j)
	if err != nil {
		return ""
	}
	h := fnv.New64a()
	_, _ = h.Write(text)
	return strconv.FormatUint(h.Sum64(), 36)
}

// maxWord limits the size of files that have one word, in bytes.
const maxWord = 4 << 10

// jobOf returns what is known of the job in dir, which looks like s; nil: it has no records.
func jobOf(dir string, s *record.State) *Job {
	if s == nil {
		if _, err := os.Lstat(dir); err != nil {
			return &Job{Gone: true}
		}
		s = &record.State{Status: record.Starting} // its launch has not come so far
	}
	j := &Job{
		Token:   wordIn(dir, TokenFile),
		Program: wordIn(dir, HolderFile),
		State:   State{*s},
		Sizes:   map[string]int64{},
		Held:    jobdir.Locked(dir),
	}
	if s.Status == record.Starting { // what its logs have is output of a later state
		return j
	}
	for _, name := range []string{jobdir.OutputFile, jobdir.StdoutFile, jobdir.StderrFile} {
		info, err := os.Lstat(filepath.Join(dir, name))
		switch {
		case err != nil:
		case !info.Mode().IsRegular():
			j.Strange = append(j.Strange, name)
		default:
			j.Sizes[name] = info.Size()
			j.addHole(dir, name)
		}
	}
	return j
}

// addHole adds what was freed of a log. A short one has no hole.
func (j *Job) addHole(dir, name string) {
	if j.Sizes[name] <= logfile.Head {
		return
	}
	f, err := jobdir.OpenLog(dir, name)
	if err != nil {
		return
	}
	defer f.Close()
	hole, err := f.Hole(context.Background())
	if err != nil || hole.Empty() {
		return
	}
	if j.Holes == nil {
		j.Holes = map[string]record.Range{}
	}
	j.Holes[name] = record.Range{Start: hole.Start, End: hole.End}
}

// wordIn returns the content of a file of one line in dir; empty if it cannot be read.
func wordIn(dir, name string) string {
	text, err := plainfile.Read(filepath.Join(dir, name), maxWord)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
