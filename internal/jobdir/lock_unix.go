//go:build unix

package jobdir

import (
	"os"
	"syscall"
)

// flock locks the open file without waiting. The lock belongs to this opening of
// the file and goes with it; Go opens files close-on-exec, so no child keeps it.
func flock(f *os.File, exclusive bool) error {
	how := syscall.LOCK_SH | syscall.LOCK_NB
	if exclusive {
		how = syscall.LOCK_EX | syscall.LOCK_NB
	}
	for {
		err := syscall.Flock(int(f.Fd()), how)
		switch err {
		case syscall.EINTR:
			continue
		case syscall.EWOULDBLOCK:
			return ErrLocked
		}
		return err
	}
}
