//go:build linux || darwin

package hostjob

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/localclient"
	"github.com/hobjobs/hob/internal/logfile"
	"github.com/hobjobs/hob/internal/plainfile"
	"github.com/hobjobs/hob/internal/proc"
)

// list returns the states of jobs in base. Each of the wanted is a name, or NAME=SUM for a job that the client knows, and
// maybe =wait behind that; see [Wait].
func list(ctx context.Context, base string, wanted []string) Listing {
	now := time.Now()
	l := Listing{
		Now:  now,
		Up:   record.InMilliseconds(proc.RunningAt(now)),
		Boot: proc.BootID(),
		Jobs: make(map[string]*Job, len(wanted)),
	}
	var jobs, dirs []string
	sums, prints := map[string]string{}, map[string]string{} // by job
	patient := false
	for _, w := range wanted {
		id, sum, _ := strings.Cut(w, "=")
		sum, how, _ := strings.Cut(sum, "=")
		if !jobdir.ValidID(id) {
			continue
		}
		jobs = append(jobs, id)
		sums[id] = sum
		patient = patient || how == Wait
	}
	turn := readAsks(base)
	due := turn.choose(jobs, patient, now)
	for _, id := range jobs {
		dir := filepath.Join(base, id)
		print := printOf(dir, now) // before the look: what changes during it makes a difference the next time
		if print != "" && print == sums[id] && !due[id] {
			l.Jobs[id] = &Job{Sum: print, Same: true}
			continue
		}
		dirs = append(dirs, dir)
		prints[id] = print
	}
	states, err := localclient.LookSome(ctx, dirs, func(dir string) bool { return due[filepath.Base(dir)] }, patient)
	if err != nil {
		return l
	}
	for _, dir := range dirs {
		id := filepath.Base(dir)
		if s := states[dir]; s != nil {
			turn.judge(id, s, due[id], patient, now)
		}
		j := jobOf(dir, states[dir])
		if j.Sum = prints[id]; j.Sum == "" || !j.runsSimply() {
			j.Sum = sumOf(j)
		}
		if j.Sum == sums[id] {
			j = &Job{Sum: j.Sum, Same: true}
		}
		l.Jobs[id] = j
	}
	turn.save(base)
	return l
}

// runsSimply reports whether the look found that the job runs and could read all its files, and what it found depends
// on nothing but these. What is known of a job with a deadline also depends on the clock.
func (j *Job) runsSimply() bool {
	st := &j.State.State
	switch {
	case !j.Held, st.Status != record.Running, st.Link != record.LinkNone:
		return false
	case st.Leader.IsZero(), st.Pending != nil, st.Stopping != nil:
		return false
	}
	return st.Deadline.IsZero()
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

// printOf returns a hash of the files of the job in dir, without reading any: while it is the same, a look would find
// the same. A host may have hundreds of jobs that run, of which few change between two listings, and a look reads nine
// files of each. It is empty if no process holds the job, or if a file has changed so recently that another change may
// leave its times as they are. Whether the holder of a job answers is found out in turn; see [asks].
func printOf(dir string, now time.Time) string {
	if !jobdir.Locked(dir) {
		return ""
	}
	sum := fnv.New64a()
	var text []byte
	for _, name := range seen {
		var st unix.Stat_t
		if unix.Lstat(filepath.Join(dir, name), &st) != nil {
			continue
		}
		if now.Sub(time.Unix(st.Mtim.Unix())) < timesGrain {
			return ""
		}
		text = append(text[:0], name...)
		for _, n := range []int64{int64(st.Mode), st.Size, st.Mtim.Nano(), int64(st.Ino)} {
			text = binary.AppendVarint(text, n)
		}
		_, _ = sum.Write(text)
	}
	return "p" + strconv.FormatUint(sum.Sum64(), 36)
}

// timesGrain is more than the resolution of the times of files.
const timesGrain = 50 * time.Millisecond

// seen are the files that change with what a look at a job that runs finds.
var seen = append([]string{jobdir.StateFile, jobdir.ExitCodeFile}, logs...)

// logs are the names that logs may have, and the times of their bytes.
var logs = []string{jobdir.OutputFile, jobdir.StdoutFile, jobdir.StderrFile, jobdir.TimesFile}

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
		Token:   wordIn(dir, jobdir.TokenFile),
		Program: wordIn(dir, HolderFile),
		State:   State{*s},
		Sizes:   map[string]int64{},
		Held:    jobdir.Locked(dir),
	}
	if s.Status == record.Starting { // what its logs have is output of a later state
		return j
	}
	for _, name := range logs {
		info, err := os.Lstat(filepath.Join(dir, name))
		switch {
		case err != nil:
		case !info.Mode().IsRegular():
			j.Strange = append(j.Strange, name)
		default:
			j.Sizes[name] = info.Size()
			if name != jobdir.TimesFile {
				j.addHole(dir, name)
			}
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
