//go:build unix && !linux

package jobdir

import (
	"os"
	"syscall"
)

// tryLock locks f without waiting. The lock belongs to the open file description and ends
// when that is closed. Go opens files close-on-exec, so no child keeps it.
func tryLock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// held reports whether another process has f locked, by briefly acquiring a shared lock.
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
