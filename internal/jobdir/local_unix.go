//go:build linux || darwin

package jobdir

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/internal/plainfile"
)

// Alive is the pipe that the holder of a job keeps open until the job's end is recorded. Readers of
// the pipe get a hang-up then, also if the holder is killed.
type Alive struct {
	dir string
	fd  int // -1 once closed
}

// OpenAlive creates the pipe of the job directory dir and opens it.
func OpenAlive(dir string) (*Alive, error) {
	path := filepath.Join(dir, AliveFile)
	if err := unix.Mkfifo(path, 0o600); err != nil && !errors.Is(err, unix.EEXIST) {
		return nil, &fs.PathError{Op: "create a pipe", Path: path, Err: err}
	}
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return InheritAlive(dir, fd), nil
}

// InheritAlive returns the pipe of dir that another process opened and passed to this one.
func InheritAlive(dir string, fd int) *Alive { return &Alive{dir, fd} }

// FD returns the descriptor, which a still owns.
func (a *Alive) FD() int { return a.fd }

// Release closes the pipe here; another process has it open.
func (a *Alive) Release() {
	if a != nil && a.fd >= 0 {
		_ = unix.Close(a.fd)
		a.fd = -1
	}
}

// Close deletes the pipe, and its readers get a hang-up.
func (a *Alive) Close() {
	if a != nil && a.fd >= 0 {
		_ = os.Remove(filepath.Join(a.dir, AliveFile)) // an error does no harm: clients try the lock before they open it
		a.Release()
	}
}

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

// fileLock locks or asks about the bytes between from and to; to the end if both are 0.
func fileLock(f *os.File, command int, kind int16, from, to int64) (unix.Flock_t, error) {
	lock := unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: from, Len: to - from}
	err := plainfile.WithDescriptor(f, func(fd int) error {
		for {
			if err := unix.FcntlFlock(uintptr(fd), command, &lock); !errors.Is(err, unix.EINTR) {
				return err
			}
		}
	})
	return lock, err
}
