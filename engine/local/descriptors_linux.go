package local

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/internal/proc"
)

// isolate closes the descriptors from first on that whoever started the holder
// left open; Go's own are close-on-exec and stay.
func isolate(first int) {
	fds, err := openDescriptors()
	if err != nil {
		_ = unix.CloseRange(uint(first), ^uint(0), unix.CLOSE_RANGE_CLOEXEC)
		return
	}
	for _, fd := range fds {
		if fd >= first {
			closeLeaked(fd)
		}
	}
}

// closeLeaked closes fd if it is open and not Go's.
func closeLeaked(fd int) {
	if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
		unix.Close(fd)
	}
}

func openDescriptors() ([]int, error) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil, err
	}
	var fds []int
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil {
			fds = append(fds, fd)
		}
	}
	return fds, nil
}

// redirect makes descriptor to mean what from means.
func redirect(from, to int) error { return unix.Dup3(from, to, 0) }

// nameProcess makes tools that show a process's short name show a holder's, not
// that of the link it was executed by.
func nameProcess() {
	_ = os.WriteFile("/proc/self/comm", []byte(proc.HolderName), 0)
}
