package local

import (
	"context"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/internal/proc"
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

// waitEnd waits until the child pid has ended and leaves it to be reaped. It
// returns false when ctx ends first.
func waitEnd(ctx context.Context, pid int) bool {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return pollEnd(ctx, pid)
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	defer f.Close()
	raw, err := f.SyscallConn()
	if err != nil || f.SetReadDeadline(time.Time{}) != nil {
		return pollEnd(ctx, pid)
	}
	stop := context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	return raw.Read(func(uintptr) bool { return hasEnded(pid) }) == nil
}

// pollEnd is waitEnd for kernels without pidfds.
func pollEnd(ctx context.Context, pid int) bool {
	for pause := time.Millisecond; !hasEnded(pid); pause = min(2*pause, 100*time.Millisecond) {
		if !sleep(ctx, pause) {
			return false
		}
	}
	return true
}

// hasEnded reports whether the child pid waits to be reaped.
func hasEnded(pid int) bool {
	p, err := proc.Stat(pid)
	return err != nil || p.Dead()
}

// maxRSS is in bytes.
func maxRSS(u syscall.Rusage) int64 { return int64(u.Maxrss) << 10 }
