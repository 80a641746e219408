package logfile

import (
	"errors"
	"os"
	"syscall"
)

// From linux/falloc.h and unistd.h.
const (
	fallocKeepSize  = 0x1
	fallocPunchHole = 0x2
	seekData        = 3
	seekHole        = 4
)

func punchRange(f *os.File, off, n int64) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var perr error
	err = conn.Control(func(fd uintptr) {
		for {
			perr = syscall.Fallocate(int(fd), fallocPunchHole|fallocKeepSize, off, n)
			if !errors.Is(perr, syscall.EINTR) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	if errors.Is(perr, syscall.EOPNOTSUPP) || errors.Is(perr, syscall.ENOSYS) {
		return ErrNoHoles
	}
	return perr
}
