//go:build linux || darwin

package jobdir

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// A process loses its usual locks on a file with any descriptor of it that it closes.
// These belong to the opening instead.

func lockRange(f *os.File, from, to int64) error {
	_, err := fileLock(f, setOwnLock, unix.F_RDLCK, from, to)
	if errors.Is(err, unix.EINVAL) {
		return errors.Join(errors.ErrUnsupported, err)
	}
	return err
}

func unlockRange(f *os.File, from, to int64) error {
	_, err := fileLock(f, setOwnLock, unix.F_UNLCK, from, to)
	return err
}

// firstLocked returns the first byte between from and to that another opening of the
// file has locked, to if there is none or the system cannot say.
func firstLocked(f *os.File, from, to int64) int64 {
	for from < to {
		// One lock is returned of several, not always the first.
		lock, err := fileLock(f, getOwnLock, unix.F_WRLCK, from, to)
		if err != nil || lock.Type == unix.F_UNLCK {
			break
		}
		to = max(from, lock.Start)
	}
	return to
}

func fileLock(f *os.File, command int, kind int16, from, to int64) (unix.Flock_t, error) {
	lock := unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: from, Len: to - from}
	conn, err := f.SyscallConn()
	if err != nil {
		return lock, err
	}
	var lockErr error
	err = conn.Control(func(fd uintptr) {
		for {
			if lockErr = unix.FcntlFlock(fd, command, &lock); !errors.Is(lockErr, unix.EINTR) {
				return
			}
		}
	})
	return lock, errors.Join(err, lockErr)
}
