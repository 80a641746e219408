//go:build linux || darwin

package jobdir

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownLocks returns F_OFD_SETLK and F_OFD_GETLK, which package unix lacks for macOS.
func ownLocks() (set, get int) {
	if runtime.GOOS == "darwin" {
		return 90, 92
	}
	return 37, 36
}

// A process loses its usual locks on a file with any descriptor of it that it closes.
// These belong to the opening instead.

func lockRange(f *os.File, from, to int64) error {
	set, _ := ownLocks()
	_, err := fileLock(f, set, unix.F_RDLCK, from, to)
	if errors.Is(err, unix.EINVAL) {
		return errors.Join(errors.ErrUnsupported, err)
	}
	return err
}

func unlockRange(f *os.File, from, to int64) error {
	set, _ := ownLocks()
	_, err := fileLock(f, set, unix.F_UNLCK, from, to)
	return err
}

// firstLocked returns the first byte between from and to that another opening of the
// file has locked, to if there is none or the system cannot say.
func firstLocked(f *os.File, from, to int64) int64 {
	_, get := ownLocks()
	for from < to {
		// One lock is returned of several, not always the first.
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

// minRoom and minFiles are what the records of one job take, from its request to
// its end, with what is set aside for that.
const (
	minRoom  = 48 << 10
	minFiles = 8
)

// Full reports whether the file system of a job's directory has no room for another
// job, so that output of this one may be missing.
func Full(dir string) bool { return roomFor(dir) != nil }

// roomFor tells whether the file system of dir has room for the records of one more
// job: one that could start there but not say how it ended would seem to run for
// ever. What the system does not tell is no reason against it.
func roomFor(dir string) error {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil || st.Blocks == 0 {
		return nil
	}
	blocks := st.Bavail
	if os.Geteuid() == 0 {
		blocks = st.Bfree // what is kept for root counts
	}
	if free := blocks * uint64(st.Bsize); free < minRoom {
		return fmt.Errorf("only %d KiB are free: %w", free>>10, syscall.ENOSPC)
	}
	if st.Files > 0 && st.Ffree < minFiles {
		return fmt.Errorf("only %d more files can be made: %w", st.Ffree, syscall.ENOSPC)
	}
	return nil
}
