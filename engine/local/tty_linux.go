package local

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)

// readNow is read(2) on a descriptor that does not block, without telling Go's
// scheduler. A read of a terminal takes some ten microseconds, in which the
// scheduler would find its only processor in a system call and give it to another
// thread, at each read of a flood: that costs as much as everything else here
// together.
func readNow(fd int, p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
