//go:build unix && !linux

package jobdir

import (
	"os"
	"syscall"
)

// tryLock locks the open file without waiting. The lock belongs to this opening
// of the file and goes with it; Go opens files close-on-exec, so no child keeps
// it.
func tryLock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// held reports whether somebody has f locked, by taking the lock shared for a
// moment.
func held(f *os.File) bool { return flock(f, syscall.LOCK_SH) != nil }

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch err {
		case syscall.EINTR:
			continue
		case syscall.EWOULDBLOCK:
			return ErrLocked
		}
		return err
	}
}
