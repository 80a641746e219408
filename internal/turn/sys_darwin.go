package turn

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// The system does not report every hang-up of a pipe, so jobs are looked at again from time to time.
const (
	blindPause = 1000
	pause      = 1000
)

const hangUp = unix.POLLIN

// held reports whether another process has fd locked, by briefly acquiring a shared lock.
func held(fd int) bool {
	_, err := retrying(func() (int, error) { return 0, syscall.Flock(fd, syscall.LOCK_SH|syscall.LOCK_NB) })
	return err != nil
}

// hungUp reports false: jobs are looked at again from time to time.
func hungUp(string, int) bool { return false }

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

// closeLeaked keeps descriptors from first on, which the launcher may have left open, from being
// inherited by the job. Those of Go are close-on-exec anyway.
func closeLeaked(first int) {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return
	}
	for fd := first; fd < int(min(limit.Cur, 4096)); fd++ {
		unix.CloseOnExec(fd)
	}
}

func redirect(from, to int) { _ = syscall.Dup2(from, to) }
