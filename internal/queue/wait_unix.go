//go:build linux || darwin

package queue

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/plainfile"
)

// Result is how a wait ended: the job may start, unless Canceled or BlockedBy is set.
type Result struct {
	Entry     string        // the path of the job's entry, to be removed when the job has ended
	Canceled  *Cancellation // a client does not want the job any longer
	BlockedBy record.ID     // a job that this one had to follow, and that did not succeed
}

// MayStart reports whether the turn of the job has come.
func (r *Result) MayStart() bool { return r.Canceled == nil && r.BlockedBy == "" }

// Wait waits until the job in dir may start, or never will. It is called by the job's holder, which has
// the job's lock and its pipe. It calls looked each time it has examined the queue and continues to wait.
func (p *Place) Wait(dir string, alive *jobdir.Alive, looked func()) Result {
	w := waiter{
		queue:   p.Dir,
		jobs:    filepath.Dir(dir),
		id:      filepath.Base(dir),
		watches: []unix.PollFd{{Fd: int32(alive.FD()), Events: unix.POLLIN}},
	}
	for _, id := range p.After {
		w.deps = append(w.deps, dep{id: id})
	}
	for _, id := range p.AfterAny {
		w.deps = append(w.deps, dep{id: id, any: true})
	}
	w.wait(looked)
	return w.result
}

// waiter is the state of one wait.
type waiter struct {
	queue, jobs string // directories: of the queue, of all jobs
	id          string
	deps        []dep // those that have not ended
	entry       Entry
	result      Result

	blocked lockedOut // why the queue could not be read so far

	watches []unix.PollFd // the first is the job's own pipe
	again   int           // how long to wait before looking again, in milliseconds; negative: no limit
}

// dep is a job that another one follows.
type dep struct {
	id  record.ID
	any bool // its success does not matter
}

// dyingPause is how long to wait before looking again at a process that dies, in milliseconds.
const dyingPause = 10

// wait returns when the result is decided.
func (w *waiter) wait(looked func()) {
	for !w.decide() {
		looked()
		_, _ = unix.Poll(w.watches, w.again) // after an error or a signal, it looks again
		w.drain()
	}
	w.forget()
	w.drain()
}

// drain reads what wakes this holder.
func (w *waiter) drain() {
	var b [64]byte
	for {
		if n, err := unix.Read(int(w.watches[0].Fd), b[:]); err != nil || n <= 0 {
			return
		}
	}
}

// forget ends all watches but that of the own pipe.
func (w *waiter) forget() {
	for _, f := range w.watches[1:] {
		unix.Close(int(f.Fd))
	}
	w.watches, w.again = w.watches[:1], pause
}

// lookAgain limits how long the holder waits.
func (w *waiter) lookAgain(milliseconds int) {
	if w.again < 0 || milliseconds < w.again {
		w.again = milliseconds
	}
}

// maxWatches limits the open descriptors.
const maxWatches = 512

// watch watches a job and reports whether it is alive. The pipe is opened first: if the job was alive
// after that, its end is reported. A dying process may close its pipe before its lock.
func (w *waiter) watch(id string) bool {
	dir := filepath.Join(w.jobs, id)
	fd, err := openPipe(alivePath(dir), unix.O_RDONLY)
	alive := jobdir.Locked(dir)
	switch {
	case err != nil:
		w.lookAgain(unwatchedPause)
		return alive
	case alive && len(w.watches) >= maxWatches:
		w.lookAgain(unwatchedPause)
	case alive && hungUp(alivePath(dir), fd):
		w.lookAgain(dyingPause)
	case alive:
		w.watches = append(w.watches, unix.PollFd{Fd: int32(fd), Events: hangUp})
		return true
	}
	unix.Close(fd)
	return alive
}

// decide reads the queue and reports whether the wait is over. If not, it watches the jobs that decide
// it.
func (w *waiter) decide() bool {
	w.forget()
	lock, err := tryLock(w.queue)
	if errors.Is(err, jobdir.ErrLocked) {
		return w.waitForLock()
	}
	if err != nil { // out of descriptors or memory
		w.lookAgain(unwatchedPause)
		return false
	}
	defer lock.Close()
	w.blocked = lockedOut{}
	v, err := Read(w.queue)
	if err == nil {
		err = w.find(&v)
	}
	if err != nil {
		w.lookAgain(unwatchedPause)
		return false
	}
	switch w.entry.State {
	case Canceled:
		return w.cancel()
	case Now:
		return w.start(&v)
	case After:
		if !w.depsEnded() {
			return !w.result.MayStart()
		}
		if filepath.Base(w.queue) == unnamed {
			return w.start(&v)
		}
		w.wakeNext(&v)
		if !w.become(Waiting) {
			return false
		}
	case Waiting, Running:
	}
	return w.first(&v) && w.slotFree(&v) && w.start(&v)
}

// lockedOut is how long, and by which process, a queue has been locked.
type lockedOut struct {
	since  time.Time
	holder string // a description; "" in the first moments
	noted  bool
}

const (
	// lockPause is the time between two attempts to lock the queue, in milliseconds.
	lockPause = 5
	// heldLockPause is the same once a process has had the lock for long.
	heldLockPause = 200
	// lockNotice is how long one process may have the lock before clients report it: each has it for
	// moments only.
	lockNotice = time.Second
)

// waitForLock is decide while another process has the queue locked. A cancellation is final, so it counts
// without the lock.
func (w *waiter) waitForLock() bool {
	w.lookAgain(lockPause)
	if w.blocked.since.IsZero() {
		w.blocked.since = time.Now()
	}
	if time.Since(w.blocked.since) >= lockNotice {
		w.noteLock()
	}
	if w.blocked.holder == "" {
		return false // it is a matter of moments
	}
	if w.blocked.noted {
		w.again = heldLockPause
	}
	v, err := Read(w.queue)
	if err != nil {
		return false
	}
	e, ok := v.Find(w.id)
	if !ok || e.State != Canceled {
		return false
	}
	w.entry, w.result.Entry = e, w.path(e)
	return w.cancel()
}

// noteLock notes the process that has the queue locked, if it had it the last time, too.
func (w *waiter) noteLock() {
	holder := jobdir.LockHolder(lockPath(w.queue))
	same := holder == w.blocked.holder
	w.blocked = lockedOut{time.Now(), holder, same}
	if same {
		_ = noteLockHolder(w.queue, holder) // the next look tries again
	}
}

func (w *waiter) path(e Entry) string { return filepath.Join(w.queue, "jobs", e.Name()) }

// find finds the entry of the job. A missing one is replaced, at the end.
func (w *waiter) find(v *View) error {
	e, ok := v.Find(w.id)
	if !ok {
		e = Entry{After, v.next(), w.id}
		if err := createEntry(w.path(e)); err != nil {
			return err
		}
	}
	w.entry, w.result.Entry = e, w.path(e)
	return nil
}

// become changes the state of the job's entry.
func (w *waiter) become(s State) bool {
	to := w.entry
	to.State = s
	if os.Rename(w.path(w.entry), w.path(to)) != nil { // perhaps the disk is full
		w.lookAgain(unwatchedPause)
		return false
	}
	w.entry, w.result.Entry = to, w.path(to)
	return true
}

func (w *waiter) start(v *View) bool {
	w.wakeNext(v)
	return w.become(Running)
}

// maxCancellation limits the size of the file that cancels a queued job, in bytes.
const maxCancellation = 64 << 10

// cancel ends the wait of a job that a client does not want any longer.
func (w *waiter) cancel() bool {
	w.result.Canceled = &Cancellation{}
	if text, err := plainfile.Read(w.result.Entry, maxCancellation); err == nil {
		_ = json.Unmarshal(text, w.result.Canceled) // on an error it stays empty
	}
	return true
}

// wakeNext wakes the next job that waits for a slot. One that was killed is passed over.
func (w *waiter) wakeNext(v *View) {
	for _, e := range v.Entries {
		if e.State != Waiting || e.Seq <= w.entry.Seq {
			continue
		}
		if wake(filepath.Join(w.jobs, e.ID)) {
			return
		}
	}
}

// first reports whether no other job waits before this one; otherwise it watches the last of them. It
// deletes the entries of jobs that were killed.
func (w *waiter) first(v *View) bool {
	for _, e := range slices.Backward(v.Entries) {
		if e.State != Waiting || e.Seq >= w.entry.Seq {
			continue
		}
		if w.watch(e.ID) {
			return false
		}
		if os.Remove(w.path(e)) != nil {
			w.lookAgain(unwatchedPause)
			return false
		}
	}
	return true
}

// slotFree reports whether a slot is free; otherwise it watches the jobs that have them.
func (w *waiter) slotFree(v *View) bool {
	if v.Paused {
		return false
	}
	running := 0
	for _, e := range v.Entries {
		switch {
		case e.State != Running:
		case w.watch(e.ID):
			running++
		default:
			_ = os.Remove(w.path(e)) // else the next job that looks does it
		}
	}
	return running < v.Slots
}

// depsEnded reports whether the job need not wait for another one. Otherwise it watches those, or one
// of them did not succeed and the wait is over.
func (w *waiter) depsEnded() bool {
	var left []dep
	for _, d := range w.deps {
		ended, success := w.endOf(string(d.id))
		switch {
		case !ended:
			left = append(left, d)
		case !success && !d.any:
			w.result.BlockedBy = d.id
			return false
		}
	}
	w.deps = left
	return len(left) == 0
}

// endOf reports whether a job has ended, and whether it exited with 0. One that was cleared, perhaps
// just now, is in the trash.
func (w *waiter) endOf(id string) (ended, success bool) {
	dir := filepath.Join(w.jobs, id)
	if w.watch(id) {
		if _, recorded := jobdir.ReadExitCode(dir); !recorded {
			return false, false
		}
	}
	if succeeded(dir) {
		return true, true
	}
	_, err := os.Lstat(dir)
	return true, err != nil && succeeded(filepath.Join(filepath.Dir(w.jobs), "trash", id))
}

// succeeded reports whether the records in a job directory say that the job exited with 0.
func succeeded(dir string) bool {
	code, ok := jobdir.ReadExitCode(dir)
	if !ok || code != 0 {
		return false
	}
	s, err := jobdir.ReadState(dir)
	return err == nil && s.Exit.Status == record.Exited
}
