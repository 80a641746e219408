package jobdir

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock locks f without waiting, until it is closed.
func tryLock(f *os.File) error {
	return lockFileEx(f, windows.LOCKFILE_EXCLUSIVE_LOCK)
}

// held reports whether another process has f locked, by briefly acquiring a shared lock.
func held(f *os.File) bool { return lockFileEx(f, 0) != nil }

func lockFileEx(f *os.File, how uint32) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}
