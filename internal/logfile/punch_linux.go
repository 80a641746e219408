package logfile

import (
	"errors"
	"os"
	"syscall"

	"github.com/hobjobs/hob/internal/plainfile"
)

// From linux/falloc.h and unistd.h.
const (
	fallocKeepSize  = 0x1
	fallocPunchHole = 0x2
	seekData        = 3
	seekHole        = 4
)

func punchRange(f *os.File, off, n int64) error {
	err := plainfile.WithDescriptor(f, func(fd int) error {
		for {
			if err := syscall.Fallocate(fd, fallocPunchHole|fallocKeepSize, off, n); !errors.Is(err, syscall.EINTR) {
				return err
			}
		}
	})
	if errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS) {
		return ErrNoHoles
	}
	return err
}
