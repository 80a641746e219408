package local

import (
	"context"
	"os"
	"strconv"
	"syscall"
	"time"
	"unsafe"

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
func maxRSS(u syscall.Rusage) int64 { return int64(u.Maxrss) << 10 } //nolint:unconvert // it has another width on other systems

// growth waits until one of some files is written to. The kernel's watch is for
// one event at a time, so that a job that writes a million times is noticed once
// between two calls.
type growth struct {
	f     *os.File // an inotify descriptor
	paths []string
}

func newGrowth(files []*os.File) (*growth, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	g := &growth{f: os.NewFile(uintptr(fd), "inotify")}
	for _, f := range files {
		// By descriptor: the directory may be renamed while the job runs.
		g.paths = append(g.paths, "/proc/self/fd/"+strconv.Itoa(int(f.Fd())))
	}
	return g, nil
}

// arm makes the next write end wait. What was written before is not noticed, so
// the caller looks once more after it.
func (g *growth) arm() bool {
	if g == nil {
		return false
	}
	err := withDescriptor(g.f, func(fd int) error {
		for _, p := range g.paths {
			if _, err := unix.InotifyAddWatch(fd, p, unix.IN_MODIFY|unix.IN_ONESHOT); err != nil {
				return err
			}
		}
		return nil
	})
	return err == nil
}

// wait returns true when a file was written to, false when ctx has ended.
func (g *growth) wait(ctx context.Context) bool {
	stop := context.AfterFunc(ctx, func() { _ = g.f.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	var events [512]byte
	_, err := g.f.Read(events[:])
	return err == nil && ctx.Err() == nil
}

func (g *growth) close() {
	if g != nil {
		g.f.Close()
	}
}

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
