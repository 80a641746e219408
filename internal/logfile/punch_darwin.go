package logfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

const (
	seekHole = unix.SEEK_HOLE
	seekData = unix.SEEK_DATA
)

// punchRange frees a range with fcntl(F_PUNCHHOLE). Its argument, fpunchhole_t, has two
// 32-bit fields that must be zero, an offset and a length. That is a prefix of Fstore_t,
// for which x/sys has the call.
func punchRange(f *os.File, off, n int64) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var perr error
	err = conn.Control(func(fd uintptr) {
		perr = unix.FcntlFstore(fd, unix.F_PUNCHHOLE, &unix.Fstore_t{Offset: off, Length: n})
	})
	if err != nil {
		return err
	}
	if errors.Is(perr, unix.ENOTSUP) || errors.Is(perr, unix.ENOTTY) {
		return ErrNoHoles
	}
	return perr
}
