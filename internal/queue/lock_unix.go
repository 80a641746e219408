//go:build linux || darwin

package queue

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/internal/atomicfile"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/plainfile"
)

// lockPath returns the path of the file that is locked while the queue in dir is read or changed.
func lockPath(dir string) string { return filepath.Join(dir, "lock") }

// tryLock locks the queue in dir until the file is closed. The error is [jobdir.ErrLocked] if another
// process has the lock.
func tryLock(dir string) (*os.File, error) {
	f, err := lockFile(dir, unix.LOCK_EX|unix.LOCK_NB)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		err = jobdir.ErrLocked
	case err == nil:
		_ = os.Remove(notePath(dir)) // readers ignore it while the queue is not locked
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

// notePath returns the path of a file that exists while a process keeps the queue in dir locked for long.
// It describes that process.
func notePath(dir string) string { return filepath.Join(dir, "locked-by") }

// noteLockHolder writes that file.
func noteLockHolder(dir, holder string) error { return atomicfile.Write(notePath(dir), []byte(holder)) }

// maxNote limits the size of that file, in bytes: it has a command line.
const maxNote = 1 << 20

// lockHolder describes the process that keeps the queue in dir locked for long; "" if none does. The
// process that noted it may have been killed, so the lock is tried.
func lockHolder(dir string) string {
	note, err := plainfile.Read(notePath(dir), maxNote)
	if err != nil {
		return ""
	}
	f, err := lockFile(dir, unix.LOCK_SH|unix.LOCK_NB)
	if err == nil {
		f.Close()
		return ""
	}
	return strings.ToValidUTF8(strings.Map(printable, string(note)), "?")
}

// printable replaces what a terminal would act on.
func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return '?'
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
