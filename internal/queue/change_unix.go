//go:build linux || darwin

package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/statedir"
	"github.com/hobjobs/hob/internal/turn"
)

// ErrNotWaiting means that a job does not wait in the queue, or not any more.
var ErrNotWaiting = errors.New("the job does not wait")

// queue is a queue that this process has locked.
type queue struct {
	dir, jobs string // jobs is the directory of all jobs
	View
}

// locked calls f with the queue in dir locked. dir is created if create is set.
func locked(ctx context.Context, dir string, create bool, f func(q *queue) error) error {
	if create {
		if err := os.MkdirAll(filepath.Join(dir, "jobs"), 0o700); err != nil {
			return err
		}
	}
	var unlock func()
	err := jobdir.AwaitLock(ctx, turn.LockPath(dir), func() (err error) {
		if unlock, err = turn.TryLock(dir); unlock == nil && err == nil {
			err = jobdir.ErrLocked
		}
		return err
	})
	if _, ok := errors.AsType[syscall.Errno](err); ok {
		return &fs.PathError{Op: "lock the queue", Path: dir, Err: err}
	}
	if err != nil {
		return err
	}
	defer unlock()
	v, err := Read(dir)
	if err != nil {
		return err
	}
	return f(&queue{dir: dir, jobs: filepath.Join(filepath.Dir(filepath.Dir(dir)), "jobs"), View: v})
}

func (q *queue) path(e turn.Entry) string { return filepath.Join(q.dir, "jobs", e.Name()) }

// wake wakes the jobs that wait in the queue. It precedes the change: they look when the queue is
// unlocked, even if this process is killed before it has made the change.
func (q *queue) wake() {
	for _, e := range q.Entries {
		if e.State == turn.Waiting || e.State == turn.After {
			turn.Wake(filepath.Join(q.jobs, e.ID))
		}
	}
}

// touch makes watchers of the queue read it again.
func (q *queue) touch() error {
	path := filepath.Join(q.dir, "jobs", ".changed")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return err
	}
	return os.Remove(path)
}

// move changes the state and the place of an entry.
func (q *queue) move(from, to turn.Entry) error {
	turn.Wake(filepath.Join(q.jobs, to.ID))
	return os.Rename(q.path(from), q.path(to))
}

// next returns the number for a job at the end.
func (q *queue) next() uint64 {
	if n := len(q.Entries); n > 0 {
		return max(turn.FirstSeq, q.Entries[n-1].Seq) + 1
	}
	return turn.FirstSeq
}

// Enter adds the job in dir to the end of the queue name. The caller has the job's lock, and passes
// the returned variables to the job's holder. leave removes the job again.
func Enter(ctx context.Context, dir, name string, after, afterAny []record.ID) (env []string, leave func(), err error) {
	of := Dir(statedir.QueuesOf(dir), name)
	e := turn.Entry{State: turn.Waiting, ID: filepath.Base(dir)}
	if len(after)+len(afterAny) > 0 || name == "" {
		e.State = turn.After
	}
	var path string
	err = locked(ctx, of, true, func(q *queue) error {
		if name != "" {
			if err := q.ensureSettings(); err != nil {
				return err
			}
		}
		e.Seq = q.next()
		path = q.path(e)
		return os.WriteFile(path, nil, 0o600)
	})
	if err != nil {
		return nil, nil, err
	}
	env = []string{turn.QueueVariable + "=" + of, turn.JobVariable + "=" + dir}
	if len(after) > 0 {
		env = append(env, turn.AfterVariable+"="+commas(after))
	}
	if len(afterAny) > 0 {
		env = append(env, turn.AfterAnyVariable+"="+commas(afterAny))
	}
	return env, func() { _ = os.Remove(path) }, nil
}

func commas(ids []record.ID) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(string(id) + ",")
	}
	return b.String()
}

func (q *queue) ensureSettings() error {
	if _, err := os.Lstat(filepath.Join(q.dir, "settings")); err == nil {
		return nil
	}
	return q.write(q.Settings)
}

func (q *queue) write(s turn.Settings) error {
	paused := 0
	if s.Paused {
		paused = 1
	}
	return atomicfile.Write(filepath.Join(q.dir, "settings"), fmt.Appendf(nil, "%d %d %d\n", s.Slots, paused, s.Configured))
}

// Set changes the settings of the queue in dir. change gets the current ones.
func Set(ctx context.Context, dir string, change func(*turn.Settings)) error {
	return locked(ctx, dir, true, func(q *queue) error {
		s := q.Settings
		change(&s)
		if s == q.Settings {
			return q.ensureSettings()
		}
		q.wake()
		return q.write(s)
	})
}

// First puts jobs that wait in the queue in dir before all others, in the given order.
func First(ctx context.Context, dir string, ids []string) error {
	return locked(ctx, dir, false, func(q *queue) error {
		seq := uint64(turn.FirstSeq)
		for _, e := range q.Entries {
			seq = min(seq, e.Seq)
		}
		seq -= uint64(len(ids))
		var moved []turn.Entry
		for _, id := range ids {
			e, ok := q.Find(id)
			if !ok || e.State != turn.Waiting && e.State != turn.After {
				return ErrNotWaiting
			}
			moved = append(moved, e)
		}
		q.wake()
		for i, from := range moved {
			to := from
			to.Seq = seq + uint64(i)
			if err := q.move(from, to); err != nil {
				return err
			}
		}
		return nil
	})
}

// StartNow lets jobs of the queue in dir start, without a slot.
func StartNow(ctx context.Context, dir string, ids []string) error {
	return locked(ctx, dir, false, func(q *queue) error {
		for _, id := range ids {
			e, ok := q.Find(id)
			if !ok || e.State == turn.Running || e.State == turn.Cancelled {
				return ErrNotWaiting
			}
			to := e
			to.State = turn.Now
			if err := q.move(e, to); err != nil {
				return err
			}
		}
		return nil
	})
}

// Cancel asks the waiting holder of the job in dir to end it. The error is ErrNotWaiting if it starts
// or has started.
func Cancel(ctx context.Context, dir, name string, o record.StopOptions) error {
	text, err := json.Marshal(turn.Cancellation{By: o.By, Reason: string(o.Reason)})
	if err != nil {
		return err
	}
	return waiting1(ctx, dir, name, func(q *queue, e turn.Entry) error {
		if e.State == turn.Cancelled {
			return nil
		}
		if err := os.WriteFile(q.path(e), text, 0o600); err != nil {
			return err
		}
		to := e
		to.State = turn.Cancelled
		return q.move(e, to)
	})
}

// Background records that no client waits for the job in dir. The error is as that of Cancel.
func Background(ctx context.Context, dir, name string) error {
	return waiting1(ctx, dir, name, func(q *queue, _ turn.Entry) error {
		if err := os.WriteFile(filepath.Join(dir, jobdir.BackgroundFile), nil, 0o600); err != nil {
			return err
		}
		return q.touch()
	})
}

// waiting1 calls f with the entry of a job that waits.
func waiting1(ctx context.Context, dir, name string, f func(q *queue, e turn.Entry) error) error {
	err := locked(ctx, Dir(statedir.QueuesOf(dir), name), false, func(q *queue) error {
		e, ok := q.Find(filepath.Base(dir))
		if !ok || e.State == turn.Running {
			return ErrNotWaiting
		}
		return f(q, e)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNotWaiting
	}
	return err
}

// Clean deletes the entries of jobs that have no holder any more, and reports whether there were any.
func Clean(dir string) bool {
	v, err := Read(dir)
	if err != nil {
		return false
	}
	jobs := filepath.Join(filepath.Dir(filepath.Dir(dir)), "jobs")
	cleaned := false
	for _, e := range v.Entries {
		if !turn.Held(filepath.Join(jobs, e.ID)) {
			cleaned = os.Remove(filepath.Join(dir, "jobs", e.Name())) == nil || cleaned
		}
	}
	return cleaned
}
