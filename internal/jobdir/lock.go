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

// Where a test for a lock has to take it for a moment, whoever wants the lock
// itself tries that long, so that being looked at is not mistaken for being held.
const (
	lockPatience = 50 * time.Millisecond
	lockRetry    = time.Millisecond
)

// Held is a lock that this process holds until Close, or until it dies.
type Held struct{ f *os.File }

// Close releases the lock.
func (h *Held) Close() error { return h.f.Close() }

// Lock takes the lock of the job directory dir, which its holder keeps for life.
// It does not wait: the error is ErrLocked if there is a holder.
func Lock(dir string) (*Held, error) { return lockFile(filepath.Join(dir, LockFile)) }

// Locked reports whether somebody holds the lock of the job directory dir.
func Locked(dir string) bool {
	f, err := plainfile.Open(filepath.Join(dir, LockFile))
	if err != nil {
		// A lock file that cannot be opened for another reason than its absence
		// proves nothing; taking the job for alive destroys nothing.
		return !errors.Is(err, fs.ErrNotExist)
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
