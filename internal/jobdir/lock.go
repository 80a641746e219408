package jobdir

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hobjobs/hob/internal/plainfile"
)

// ErrLocked means that another process holds a lock.
var ErrLocked = errors.New("locked by another process")

// Where a test for a lock has to take it for a moment, whoever wants the lock
// itself tries that long, so that being looked at is not mistaken for being held.
const (
	lockPatience = 50 * time.Millisecond
	lockRetry    = time.Millisecond
)

// Held is a lock that this process holds until Close, or until it dies.
type Held struct{ f *os.File }

// Close releases the lock, unless another process has got it too.
func (h *Held) Close() error { return h.f.Close() }

// File is the open lock file. A process that it is passed to holds the lock too.
// It stays h's.
func (h *Held) File() *os.File { return h.f }

// Inherit makes a lock of this process of f, which a process that holds the lock
// of the job directory dir has passed on. It takes f over. The error says that f
// is not that lock.
func Inherit(dir string, f *os.File) (*Held, error) {
	got, err := f.Stat()
	if err == nil {
		var here os.FileInfo
		if here, err = os.Stat(filepath.Join(dir, LockFile)); err == nil && !os.SameFile(got, here) {
			err = errors.New("another file was passed on than the job's lock")
		}
	}
	if err == nil {
		err = tryLock(f) // it is this opening's already
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Held{f}, nil
}

// Lock takes the lock of the job directory dir, which its holder keeps for life.
// It does not wait: the error is ErrLocked if there is a holder.
func Lock(dir string) (*Held, error) { return lockFile(filepath.Join(dir, LockFile)) }

// Lend is [Lock] for who passes the lock on as something to be closed: with an
// error there is nothing to close.
func Lend(dir string) (io.Closer, error) {
	lock, err := Lock(dir)
	if err != nil {
		return nil, err // and no interface with a nil lock in it
	}
	return lock, nil
}

// Locked reports whether somebody holds the lock of the job directory dir.
func Locked(dir string) bool {
	f, err := plainfile.Open(inDir(dir, LockFile))
	if err != nil {
		// Nobody can hold what is not there or is no file. A lock file that cannot be
		// opened for another reason proves nothing; taking the job for alive destroys
		// nothing.
		return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, plainfile.ErrNotPlain)
	}
	defer f.Close()
	return held(f)
}

func lockFile(path string) (*Held, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockPatience); ; time.Sleep(lockRetry) {
		err = tryLock(f)
		if err == nil {
			return &Held{f}, nil
		}
		if !errors.Is(err, ErrLocked) || !time.Now().Before(end) {
			f.Close()
			return nil, err
		}
	}
}

// Exclusive waits for a lock of the whole root, by name, until ctx is done.
func (r *Root) Exclusive(ctx context.Context, name string) (*Held, error) {
	if err := r.Make(); err != nil {
		return nil, err
	}
	for {
		h, err := lockFile(filepath.Join(r.Jobs(), "."+name))
		if !errors.Is(err, ErrLocked) {
			return h, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}
