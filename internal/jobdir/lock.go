package jobdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hobjobs/hob/internal/plainfile"
)

// ErrLocked means that another process holds a lock.
var ErrLocked = errors.New("locked by another process")

// On systems where testing a lock briefly acquires it, acquiring a lock must be retried
// for a moment: another process may only be testing it.
const (
	lockTimeout = 50 * time.Millisecond
	lockRetry   = time.Millisecond
)

// FileLock is a lock on a file that this process holds until Close, or until it exits.
type FileLock struct{ f *os.File }

// Close releases the lock, unless the file was passed to another process. nil is no lock.
func (h *FileLock) Close() error {
	if h == nil || h.f == nil {
		return nil
	}
	return h.f.Close()
}

// Keep returns the lock for a caller that needs it for longer: Close of h does not release it.
func (h *FileLock) Keep() *FileLock {
	kept := &FileLock{h.f}
	h.f = nil
	return kept
}

// File returns the open lock file, which h still owns. A process that it is passed to
// holds the lock, too.
func (h *FileLock) File() *os.File { return h.f }

// Inherit returns the lock of the job directory dir that another process acquired and
// passed to this one as f. It takes ownership of f. It fails if f is not that lock.
func Inherit(dir string, f *os.File) (*FileLock, error) {
	got, err := f.Stat()
	if err == nil {
		var here os.FileInfo
		if here, err = os.Stat(filepath.Join(dir, LockFile)); err == nil && !os.SameFile(got, here) {
			err = errors.New("the file that was passed is not the job's lock")
		}
	}
	if err == nil {
		err = tryLock(f) // succeeds: the lock belongs to this open file description
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &FileLock{f}, nil
}

// Lock acquires the lock of the job directory dir, which a holder keeps while it runs. It
// does not wait: the error is ErrLocked if the job has a holder.
func Lock(dir string) (*FileLock, error) { return LockPath(filepath.Join(dir, LockFile)) }

// Locked reports whether a process holds the lock of the job directory dir.
func Locked(dir string) bool {
	f, err := plainfile.Open(inDir(dir, LockFile))
	if err != nil {
		// A missing lock file is not locked. If it exists and cannot be opened, assume
		// that the job is alive, which destroys nothing.
		return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, plainfile.ErrNotRegular)
	}
	defer f.Close()
	return held(f)
}

// LockPath acquires a lock on the file at path, which it creates if necessary; a link is not followed. It
// does not wait for longer than a test of the lock takes: the error is ErrLocked if another process has it.
func LockPath(path string) (*FileLock, error) {
	f, err := plainfile.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockTimeout); ; time.Sleep(lockRetry) {
		err = tryLock(f)
		if err == nil {
			return &FileLock{f}, nil
		}
		if !errors.Is(err, ErrLocked) || !time.Now().Before(end) {
			f.Close()
			return nil, err
		}
	}
}

// Holds keep the holder of a job from freeing log output that a reader has not read yet.
// A reader holds bytes with a lock on a byte range, so that its holds end with its
// process, even after a crash. The locks are on ranges of meta.json far beyond its end,
// because meta.json exists before the logs do. A Holds does not see its own locks. It is
// safe for concurrent use.
type Holds struct {
	dir  string
	once sync.Once
	f    *os.File // nil if err is set
	err  error

	mu    sync.Mutex // guards taken
	taken map[string]int64
}

// NewHolds returns the holds on the logs of the job in dir. The directory must not be
// moved before their first use.
func NewHolds(dir string) *Holds { return &Holds{dir: dir} }

func (h *Holds) file() (*os.File, error) {
	h.once.Do(func() { h.f, h.err = plainfile.Open(inDir(h.dir, MetaFile)) })
	return h.f, h.err
}

// Hold holds the bytes of a log from off on and releases those before off. An offset
// smaller than the previous one has no effect. The error matches errors.ErrUnsupported on
// systems without such locks.
func (h *Holds) Hold(name string, off int64) error {
	f, err := h.file()
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	from, held := h.taken[name]
	switch {
	case !held:
		err = lockRange(f, rangeStart(name)+off, rangeStart(name)+span)
	case off > from:
		err = unlockRange(f, rangeStart(name)+from, rangeStart(name)+off)
	}
	if err == nil && (!held || off > from) {
		if h.taken == nil {
			h.taken = map[string]int64{}
		}
		h.taken[name] = off
	}
	return err
}

// FirstHeld returns the offset of the first byte of a log between from and to that another
// Holds holds, or to if it holds none.
func (h *Holds) FirstHeld(name string, from, to int64) int64 {
	f, err := h.file()
	if err != nil {
		return to
	}
	return firstLockedByte(f, rangeStart(name)+from, rangeStart(name)+to) - rangeStart(name)
}

// Close releases everything.
func (h *Holds) Close() error {
	h.once.Do(func() { h.err = os.ErrClosed })
	if h.f == nil {
		return nil
	}
	return h.f.Close()
}

// span is the size of the range that each log has for its locks.
const span = 1 << 60

// rangeStart returns the offset in meta.json of the locks of a log.
func rangeStart(name string) int64 {
	if name == StderrFile {
		return 2 * span
	}
	return span
}
