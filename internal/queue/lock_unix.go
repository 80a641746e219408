//go:build linux || darwin

package queue

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/plainfile"
)

// lockPath returns the path of the file that is locked while the queue in dir is read or changed.
func lockPath(dir string) string { return filepath.Join(dir, "lock") }

// lock locks the queue in dir until the file is closed. It waits: others have the lock for moments.
func lock(dir string) (*os.File, error) { return lockFile(dir, unix.LOCK_EX) }

// tryLock is lock that does not wait: the error is [jobdir.ErrLocked] if another process has the lock.
func tryLock(dir string) (*os.File, error) {
	f, err := lockFile(dir, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = jobdir.ErrLocked
	}
	return f, err
}

func lockFile(dir string, how int) (*os.File, error) {
	f, err := plainfile.OpenFile(lockPath(dir), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = plainfile.WithDescriptor(f, func(fd int) error { return unix.Flock(fd, how) })
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// alivePath returns the path of the pipe that the holder of the job in dir keeps open.
func alivePath(dir string) string { return filepath.Join(dir, jobdir.AliveFile) }

// openPipe opens the pipe at path without waiting for its other end. The result is not an [os.File],
// which would be watched for input that is meant for another process.
func openPipe(path string, flags int) (fd int, err error) {
	return unix.Open(path, flags|unix.O_CLOEXEC|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
}

// wake wakes the waiting holder of the job in dir. It reports false if there is none.
func wake(dir string) bool {
	fd, err := openPipe(alivePath(dir), unix.O_WRONLY)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	_, err = unix.Write(fd, []byte{'\n'})
	return err == nil || errors.Is(err, unix.EAGAIN) // full: it has not read the earlier ones
}
