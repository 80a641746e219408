//go:build linux || darwin

package localjob

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/ending"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/turn"
)

// waited is how the wait of a queued job ended, in its holder.
type waited struct {
	turn.Result
	alive *jobdir.Alive
	leave func() // gives the job's place in the queue back
}

func newWaited(r turn.Result, alive *jobdir.Alive) *waited {
	return &waited{Result: r, alive: alive, leave: sync.OnceFunc(func() { _ = os.Remove(r.Entry) })}
}

// holdWaited starts the job whose turn has come, or records why it is not started. It returns nil if
// hob itself failed; the job is lost then, and its lock file says why.
func holdWaited(r turn.Result) *job {
	var cfg Config
	err := json.Unmarshal(r.Config, &cfg)
	var j *job
	if err == nil {
		received, pipe := filesOf(slices.Delete(slices.Clone(r.Files), 1, 2)), r.Files[1]
		w := newWaited(r, jobdir.InheritAlive(cfg.Dir, pipe))
		var lock *os.File
		var passed files
		if lock, passed, err = splitPassed(received, cfg.Passed); err == nil {
			j, err = hold(cfg, w, passed, lock, true)
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
		var c turn.Cancellation
		if text, err := os.ReadFile(w.Entry); err == nil {
			_ = json.Unmarshal(text, &c) // on an error it stays empty
		}
		j.neverRan(record.Exit{At: time.Now(), Status: record.Killed, Reason: record.Reason(c.Reason), EndedBy: c.By})
		return
	}
	j.neverRan(record.Exit{At: time.Now(), Status: record.Failed, Reason: record.ReasonDependency, Error: w.Cause + " " + j.endingOf(w.Cause)})
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
