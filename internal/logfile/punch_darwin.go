package logfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/internal/plainfile"
)

const (
	seekHole = unix.SEEK_HOLE
	seekData = unix.SEEK_DATA
)

// punchRange frees a range with fcntl(F_PUNCHHOLE). Its argument, fpunchhole_t, has two
// 32-bit fields that must be zero, an offset and a length. That is a prefix of Fstore_t,
// for which x/sys has the call.
func punchRange(f *os.File, off, n int64) error {
	err := plainfile.WithDescriptor(f, func(fd int) error {
		return unix.FcntlFstore(uintptr(fd), unix.F_PUNCHHOLE, &unix.Fstore_t{Offset: off, Length: n})
	})
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.ENOTTY) {
		return ErrNoHoles
	}
	return err
}
