//go:build linux || darwin

package turn

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	queueLock = "/lock"
	jobLock   = "/lock"
	alive     = "/alive"
)

// retrying calls f again while a signal interrupts it.
func retrying(f func() (int, error)) (int, error) {
	for {
		n, err := f()
		if !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}

func open(path string, flags int) (int, error) {
	return retrying(func() (int, error) {
		return syscall.Open(path, flags|syscall.O_CLOEXEC|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0o600)
	})
}

// lockQueue locks the queue in dir until the descriptor is closed. It waits: others have the lock for
// moments.
func lockQueue(dir string) (int, error) {
	fd, err := open(dir+queueLock, syscall.O_RDWR|syscall.O_CREAT)
	if err != nil {
		return -1, err
	}
	if _, err := retrying(func() (int, error) { return 0, syscall.Flock(fd, syscall.LOCK_EX) }); err != nil {
		syscall.Close(fd)
		return -1, err
	}
	return fd, nil
}

// TryLock locks the queue in dir until unlock is called or this process ends. It does not wait: unlock
// is nil if another process has it locked.
func TryLock(dir string) (unlock func(), err error) {
	fd, err := open(dir+queueLock, syscall.O_RDWR|syscall.O_CREAT)
	if err != nil {
		return nil, err
	}
	_, err = retrying(func() (int, error) { return 0, syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB) })
	if err != nil {
		syscall.Close(fd)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = nil
		}
		return nil, err
	}
	return func() { syscall.Close(fd) }, nil
}

// LockPath returns the path of the file that is locked while the queue in dir is read or changed.
func LockPath(dir string) string { return dir + queueLock }

// Wake wakes the waiting holder of the job in dir. It reports false if there is none.
func Wake(dir string) bool {
	fd, err := open(dir+alive, syscall.O_WRONLY)
	if err != nil {
		return false
	}
	_, err = retrying(func() (int, error) { return syscall.Write(fd, []byte{'\n'}) })
	syscall.Close(fd)
	return err == nil || errors.Is(err, syscall.EAGAIN) // full: it has not read the earlier ones
}

// Held reports whether a process holds the lock of the job in dir. A job whose lock exists and cannot
// be read counts as held.
func Held(dir string) bool {
	fd, err := open(dir+jobLock, syscall.O_RDONLY)
	if err != nil {
		return !errors.Is(err, syscall.ENOENT) && !errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, syscall.ELOOP)
	}
	defer syscall.Close(fd)
	return held(fd)
}

// readFile reads at most len(buf) bytes of the file at path.
func readFile(path string, buf []byte) []byte {
	fd, err := open(path, syscall.O_RDONLY)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	n := 0
	for n < len(buf) {
		m, err := retrying(func() (int, error) { return syscall.Read(fd, buf[n:]) })
		if err != nil || m <= 0 {
			break
		}
		n += m
	}
	return buf[:n]
}

// poll waits for a byte at the first of fds or a hang-up of one of the others. A negative time is no
// limit.
func poll(fds []unix.PollFd, milliseconds int) { _, _ = unix.Poll(fds, milliseconds) }

func exists(path string) bool {
	var st syscall.Stat_t
	_, err := retrying(func() (int, error) { return 0, syscall.Lstat(path, &st) })
	return err == nil
}
