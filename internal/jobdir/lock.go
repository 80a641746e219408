package jobdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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

// LockPath acquires a lock on the file at path, which it creates if necessary. It does not wait for
// longer than a test of the lock takes: the error is ErrLocked if another process has it.
func LockPath(path string) (*FileLock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
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
