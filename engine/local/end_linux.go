package local

import (
	"syscall"

	"golang.org/x/sys/unix"
)

const waitContinued = syscall.WCONTINUED

// haveChildren reports whether this process has any child, ended or not.
func haveChildren() bool {
	for {
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err != unix.ECHILD
		}
	}
}

// waitEnd waits until the child pid has ended and leaves it to be reaped.
func waitEnd(pid int) error {
	return unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
}

// maxRSS is in bytes.
func maxRSS(u syscall.Rusage) int64 { return int64(u.Maxrss) << 10 }
