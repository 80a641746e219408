//go:build linux || darwin

package jobdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Alive is the pipe that the holder of a job keeps open until the job's end is recorded: who has it
// open for reading sees a hang-up then, also if the holder is killed.
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

// Close deletes the pipe, and tells everyone who watches it.
func (a *Alive) Close() {
	if a != nil && a.fd >= 0 {
		_ = os.Remove(filepath.Join(a.dir, AliveFile)) // without effect: nobody opens it before it asks for the lock
		a.Release()
	}
}
