//go:build linux || darwin

package jobdir

import (
	"errors"
	"io"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// The locks in this file belong to an open file description. A process loses its ordinary
// fcntl locks on a file as soon as it closes any descriptor of that file.

// lockCommands returns F_OFD_SETLK and F_OFD_GETLK, which package unix lacks for macOS.
func lockCommands() (set, get int) {
	if runtime.GOOS == "darwin" {
		return 90, 92
	}
	return 37, 36
}

func lockRange(f *os.File, from, to int64) error {
	set, _ := lockCommands()
	_, err := fileLock(f, set, unix.F_RDLCK, from, to)
	if errors.Is(err, unix.EINVAL) {
		return errors.Join(errors.ErrUnsupported, err)
	}
	return err
}

func unlockRange(f *os.File, from, to int64) error {
	set, _ := lockCommands()
	_, err := fileLock(f, set, unix.F_UNLCK, from, to)
	return err
}

// firstLockedByte returns the first byte between from and to that another open file
// description has locked, to if there is none or that is unknown.
func firstLockedByte(f *os.File, from, to int64) int64 {
	_, get := lockCommands()
	for from < to {
		// The system returns any one of several locks.
		lock, err := fileLock(f, get, unix.F_WRLCK, from, to)
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
