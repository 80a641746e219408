//go:build linux || darwin

package queue

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/jobdir"
)

// changeable is a queue that this process changes. It has it locked, except to cancel a job.
type changeable struct {
	dir, jobs string // jobs is the directory of all jobs
	View
}

// locked calls f with the queue in dir locked. dir is created if create is set.
func locked(ctx context.Context, dir string, create bool, f func(q *changeable) error) error {
	if create {
		if err := os.MkdirAll(filepath.Join(dir, "jobs"), 0o700); err != nil {
			return err
		}
	}
	var lock *os.File
	err := jobdir.AwaitLock(ctx, lockPath(dir), func() (err error) {
		lock, err = tryLock(dir)
		return err
	})
	if _, ok := errors.AsType[syscall.Errno](err); ok {
		return &fs.PathError{Op: "lock the queue", Path: dir, Err: err}
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	q, err := readQueue(dir)
	if err != nil {
		return err
	}
	return f(q)
}

func readQueue(dir string) (*changeable, error) {
	v, err := Read(dir)
	return &changeable{dir: dir, jobs: filepath.Join(filepath.Dir(filepath.Dir(dir)), "jobs"), View: v}, err
}

func (q *changeable) path(e Entry) string { return filepath.Join(q.dir, "jobs", e.Name()) }

// wakeAll wakes the jobs that wait in the queue. It precedes the change: they look when the queue is
// unlocked, even if this process is killed before it has made the change.
func (q *changeable) wakeAll() {
	for _, e := range q.Entries {
		if e.State.waits() {
			wake(filepath.Join(q.jobs, e.ID))
		}
	}
}

// touch makes watchers of the queue read it again.
func (q *changeable) touch() error {
	path := filepath.Join(q.dir, "jobs", ".changed")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return err
	}
	return os.Remove(path)
}

// move changes the state and the place of an entry.
func (q *changeable) move(from, to Entry) error {
	wake(filepath.Join(q.jobs, to.ID))
	return os.Rename(q.path(from), q.path(to))
}

// Enter adds the job in dir to the end of the queue that the place names. The caller has the job's lock,
// and passes the place to the job's holder. leave removes the job again.
func (p *Place) Enter(ctx context.Context, dir string) (leave func(), err error) {
	e := Entry{State: Waiting, ID: filepath.Base(dir)}
	needsSlot := filepath.Base(p.Dir) != unnamed
	if len(p.After)+len(p.AfterAny) > 0 || !needsSlot {
		e.State = After
	}
	var path string
	err = locked(ctx, p.Dir, true, func(q *changeable) error {
		if needsSlot {
			if err := q.ensureSettings(); err != nil {
				return err
			}
		}
		e.Seq = q.next()
		path = q.path(e)
		return createEntry(path)
	})
	if err != nil {
		return nil, err
	}
	return func() { _ = os.Remove(path) }, nil
}

func createEntry(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func (q *changeable) ensureSettings() error {
	if _, err := os.Lstat(filepath.Join(q.dir, "settings")); err == nil {
		return nil
	}
	return q.write(q.Settings)
}

func (q *changeable) write(s Settings) error {
	return atomicfile.Write(filepath.Join(q.dir, "settings"), []byte(s.text()))
}

// Set changes the settings of the queue in dir. change gets the current ones.
func Set(ctx context.Context, dir string, change func(*Settings)) error {
	return locked(ctx, dir, true, func(q *changeable) error {
		s := q.Settings
		change(&s)
		if s == q.Settings {
			return q.ensureSettings()
		}
		q.wakeAll()
		return q.write(s)
	})
}

// First puts jobs that wait in the queue in dir before all others, in the given order.
func First(ctx context.Context, dir string, ids []string) error {
	return locked(ctx, dir, false, func(q *changeable) error {
		seq := uint64(firstSeq)
		for _, e := range q.Entries {
			seq = min(seq, e.Seq)
		}
		seq -= uint64(len(ids))
		var moved []Entry
		for _, id := range ids {
			e, ok := q.Find(id)
			if !ok || !e.State.waits() {
				return ErrNotWaiting
			}
			moved = append(moved, e)
		}
		q.wakeAll()
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
	return locked(ctx, dir, false, func(q *changeable) error {
		for _, id := range ids {
			e, ok := q.Find(id)
			if !ok || !e.State.mayStart() {
				return ErrNotWaiting
			}
			to := e
			to.State = Now
			if err := q.move(e, to); err != nil {
				return err
			}
		}
		return nil
	})
}

// cancelPatience is how long a cancellation waits for the lock of a queue.
const cancelPatience = time.Second / 2

// Cancel asks the holder of a job that waits in the queue in dir to end it. The error is ErrNotWaiting if
// the job starts or has started. A process that has the queue locked and hangs does not prevent it.
func Cancel(ctx context.Context, dir, id string, o record.StopOptions) error {
	text, err := json.Marshal(Cancellation{By: o.By, Reason: string(o.Reason)})
	if err != nil {
		return err
	}
	patient, stop := context.WithTimeout(ctx, cancelPatience)
	defer stop()
	err = whileWaiting(patient, dir, id, func(q *changeable, e Entry) error { return q.cancel(e, text) })
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return cancelUnlocked(dir, id, text)
	}
	return err
}

// cancelUnlocked cancels a job although another process has the queue locked: an entry is renamed either
// by the holder that starts the job, or here.
func cancelUnlocked(dir, id string, text []byte) error {
	for {
		q, err := readQueue(dir)
		if err != nil {
			return err
		}
		e, ok := q.Find(id)
		if !ok || e.State == Running {
			return ErrNotWaiting
		}
		if err := q.cancel(e, text); !errors.Is(err, fs.ErrNotExist) { // else it was renamed meanwhile
			return err
		}
	}
}

// cancel changes an entry to that of a canceled job, with text. The holder may have looked at the queue before the
// change, if this process has not locked it, and an earlier client may have been killed: the job is woken afterwards
// in any case.
func (q *changeable) cancel(e Entry, text []byte) error {
	if e.State != Canceled {
		if err := q.changeToCanceled(e, text); err != nil {
			return err
		}
	}
	wake(filepath.Join(q.jobs, e.ID))
	return nil
}

func (q *changeable) changeToCanceled(e Entry, text []byte) error {
	f, err := os.OpenFile(q.path(e), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	to := e
	to.State = Canceled
	return q.move(e, to)
}

// Background records that no client waits for a job that waits in the queue in dir. The error is as that
// of Cancel.
func Background(ctx context.Context, dir, id string) error {
	return whileWaiting(ctx, dir, id, func(q *changeable, _ Entry) error {
		if err := os.WriteFile(filepath.Join(q.jobs, id, jobdir.BackgroundFile), nil, 0o600); err != nil {
			return err
		}
		return q.touch()
	})
}

// whileWaiting calls f with the entry of a job that waits.
func whileWaiting(ctx context.Context, dir, id string, f func(q *changeable, e Entry) error) error {
	err := locked(ctx, dir, false, func(q *changeable) error {
		e, ok := q.Find(id)
		if !ok || e.State == Running {
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
		if !jobdir.Locked(filepath.Join(jobs, e.ID)) {
			if os.Remove(filepath.Join(dir, "jobs", e.Name())) == nil {
				cleaned = true
			}
		}
	}
	return cleaned
}
