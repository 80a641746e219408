//go:build linux || darwin

package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/ending"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/queue"
	"github.com/hobjobs/hob/internal/turn"
)

// ticket is the place of a new job in its queue, for its holder. The zero ticket is that of a job that
// starts at once.
type ticket struct {
	env   []string // for the holder
	alive *jobdir.Alive
	gone  func()
}

// enqueue puts a new job in its queue. The caller has the job's lock.
func (b *Backend) enqueue(l engine.Launch) (ticket, error) {
	if b.inProcess {
		return ticket{}, fmt.Errorf("%w: a queue for jobs in this program", engine.ErrUnsupported)
	}
	alive, err := jobdir.OpenAlive(l.Dir)
	if err != nil {
		return ticket{}, err
	}
	env, gone, err := queue.Enter(l.Dir, l.Spec.Queue, l.Spec.After, l.Spec.AfterAny)
	if err != nil {
		alive.Close()
		return ticket{}, err
	}
	return ticket{env, alive, gone}, nil
}

// leave removes a job that was not started from its queue.
func (t ticket) leave() {
	if t.gone != nil {
		t.gone()
	}
}

// kept returns the descriptors that a holder keeps: the lock, and the pipe of a queued job.
func (t ticket) kept(lock *jobdir.FileLock) []int {
	fds := []int{int(lock.File().Fd())}
	if t.alive != nil {
		fds = append(fds, t.alive.FD())
	}
	return fds
}

// holdWaited starts the job whose turn has come, or records why it is not started. It returns nil if
// hob itself failed; the job is lost then, and its lock file says why.
func holdWaited(r turn.Result) *job {
	var cfg launchConfig
	err := json.Unmarshal(r.Config, &cfg)
	var j *job
	if err == nil {
		var received []*os.File
		for i, fd := range r.Files {
			if i != 1 { // the pipe
				received = append(received, os.NewFile(uintptr(fd), "passed"))
			}
		}
		cfg.Waited = newWaited(r, r.Entry, jobdir.InheritAlive(cfg.Dir, r.Files[1]))
		var lock *os.File
		var passed files
		if lock, passed, err = splitPassed(received, cfg.Passed); err == nil {
			j, err = hold(cfg, passed, lock, true)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		_ = os.Remove(r.Entry)
	}
	return j
}

// declined records the end of a job whose turn does not come.
func (j *job) declined(w *waited) {
	if w.Outcome == turn.Cancel {
		by, reason := queue.Cancelled(w.Entry)
		j.neverRan(engine.Exit{At: time.Now(), Status: engine.Killed, Reason: reason, EndedBy: by})
		return
	}
	j.neverRan(engine.Exit{At: time.Now(), Status: engine.Failed, Reason: engine.ReasonDependency, Error: w.Cause + " " + j.endingOf(w.Cause)})
}

// endingOf describes the end of another job, which may have been cleared.
func (j *job) endingOf(id string) string {
	dir := filepath.Join(filepath.Dir(j.cfg.Dir), id)
	rec, err := jobdir.Read(dir)
	if errors.Is(err, fs.ErrNotExist) {
		rec, err = jobdir.Read(filepath.Join(filepath.Dir(filepath.Dir(dir)), "trash", id))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "was deleted"
	}
	other := rec.CurrentState()
	if text := ending.Of(&rec.Meta.Request, &other); text != "" {
		return text
	}
	return "ended without a record"
}
