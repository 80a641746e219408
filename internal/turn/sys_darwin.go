package turn

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// The system does not report every hang-up of a pipe, so jobs are looked at again from time to time.
const (
	resort = 1000
	pause  = 1000
)

const hangUp = unix.POLLIN

// held reports whether another process has fd locked, by briefly acquiring a shared lock.
func held(fd int) bool {
	_, err := retrying(func() (int, error) { return 0, syscall.Flock(fd, syscall.LOCK_SH|syscall.LOCK_NB) })
	return err != nil
}

type pollFD struct {
	fd             int32
	events, happen int16
}

const pollIn = unix.POLLIN

// hungUp reports false: jobs are looked at again from time to time.
func hungUp(string, int) bool { return false }

// poll waits for a byte at the first of fds or a hang-up of one of the others.
func poll(fds []pollFD, milliseconds int) {
	list := make([]unix.PollFd, len(fds))
	for i, f := range fds {
		list[i] = unix.PollFd{Fd: f.fd, Events: f.events}
	}
	_, _ = unix.Poll(list, milliseconds)
}

// scan calls visit with the name of each file in the directory at path.
func scan(path string, visit func(name []byte)) error {
	fd, err := open(path, syscall.O_RDONLY|syscall.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	buf := make([]byte, 8<<10)
	for {
		n, err := retrying(func() (int, error) { return syscall.ReadDirent(fd, buf) })
		if err != nil || n <= 0 {
			return err
		}
		_, _, names := syscall.ParseDirent(buf[:n], -1, nil)
		for _, name := range names {
			visit([]byte(name))
		}
	}
}

// dropLeaked closes the descriptors from first on, which programs before have left open.
func dropLeaked(first int) {
	for fd := first; fd < 1024; fd++ {
		syscall.Close(fd)
	}
}

func redirect(from, to int) { _ = syscall.Dup2(from, to) }
