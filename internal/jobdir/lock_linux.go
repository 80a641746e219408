package jobdir

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock locks f without waiting. The lock belongs to the open file description and ends
// when that is closed. Go opens files close-on-exec, so no child keeps it.
func tryLock(f *os.File) error {
	whole := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	for {
		err := unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &whole)
		switch err {
		case unix.EINTR:
			continue
		case unix.EAGAIN, unix.EACCES:
			return ErrLocked
		}
		return err
	}
}

// held reports whether another open file description has f locked. It does not acquire
// the lock, so that a process that wants it is not disturbed.
func held(f *os.File) bool {
	whole := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	err := unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &whole)
	return err != nil || whole.Type != unix.F_UNLCK // if unknown, assume that the job is alive
}
