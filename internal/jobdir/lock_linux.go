package jobdir

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock locks f without waiting. The lock belongs to the open file description and ends
// when that is closed. Go opens files close-on-exec, so no child keeps it.
func tryLock(f *os.File) error {
	_, err := fileLock(f, unix.F_OFD_SETLK, unix.F_WRLCK, 0, 0)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return ErrLocked
	}
	return err
}

// held reports whether another open file description has f locked. It does not acquire
// the lock, so that a process that wants it is not disturbed.
func held(f *os.File) bool {
	lock, err := fileLock(f, unix.F_OFD_GETLK, unix.F_WRLCK, 0, 0)
	return err != nil || lock.Type != unix.F_UNLCK // if unknown, assume that the job is alive
}
