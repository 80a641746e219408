package jobdir

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock locks the open file without waiting. The lock belongs to this opening
// of the file (an open file description lock) and goes with it; Go opens files
// close-on-exec, so no child keeps it.
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

// held reports whether somebody has f locked. It asks without taking the lock, so that
// being looked at is never mistaken for being held.
func held(f *os.File) bool {
	whole := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	err := unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &whole)
	return err != nil || whole.Type != unix.F_UNLCK // unknown: taking the job for alive destroys nothing
}
