package localjob

import (
	"context"
	"errors"
	"os"
	"runtime"
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

// waitEnd waits until the child pid has ended, without reaping it. It returns false if ctx ends
// first.
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

// pollEnd implements waitEnd for kernels without pidfds.
func pollEnd(ctx context.Context, pid int) bool {
	for pause := time.Millisecond; !hasEnded(pid); pause = min(2*pause, 100*time.Millisecond) {
		if !sleep(ctx, pause) {
			return false
		}
	}
	return true
}

// hasEnded reports whether the child pid is ready to be reaped.
func hasEnded(pid int) bool {
	p, err := proc.Stat(pid)
	return err != nil || p.Dead()
}

// maxRSS is in bytes. It is at least what the process that forked the child had used.
func maxRSS(u syscall.Rusage) int64 { return int64(u.Maxrss) << 10 } //nolint:unconvert // it has another width on other systems

// growth waits until one of several files is written to. Each kernel watch is for a single event,
// so that a job that writes a million times causes one event between two calls.
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

// arm makes the next write end wait. Earlier writes are not reported, so the caller checks once
// more after it.
func (g *growth) arm() bool {
	if g == nil {
		return false
	}
	err := WithDescriptor(g.f, func(fd int) error {
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

// readNow calls read(2) on a non-blocking descriptor without notifying Go's scheduler. Reading a
// terminal takes some ten microseconds, in which the scheduler would see its only P in a system
// call and hand it to another thread, at each read of a flood: that costs as much as all other work
// here.
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

// ForkUnblocked starts a program with no signal blocked, whatever mask this process inherited: a
// child inherits the mask of the thread that forks.
func ForkUnblocked(path string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var none, old unix.Sigset_t
	if unix.PthreadSigmask(unix.SIG_SETMASK, &none, &old) == nil && old != none {
		defer func() { _ = unix.PthreadSigmask(unix.SIG_SETMASK, &old, nil) }()
	}
	return syscall.ForkExec(path, argv, attr)
}

// forkHeld is like [ForkUnblocked] for a program that must not run before ready returns: it is
// traced and held at its first instruction. If it cannot be traced, or would lose setuid rights by
// it, ready is called while it may already be running.
func forkHeld(path string, argv []string, attr *syscall.ProcAttr, ready func(pid int)) (int, error) {
	if givesRights(path) {
		return forkThen(path, argv, attr, ready)
	}
	runtime.LockOSThread() // tracing is bound to a thread
	defer runtime.UnlockOSThread()
	traced := *attr
	sys := *attr.Sys
	sys.Ptrace = true
	traced.Sys = &sys
	pid, err := ForkUnblocked(path, argv, &traced)
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		return forkThen(path, argv, attr, ready)
	}
	if err != nil {
		return 0, err
	}
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(pid, &status, syscall.WALL, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	ready(pid)
	_ = syscall.PtraceDetach(pid)
	return pid, nil
}

// givesRights reports whether executing the file raises the user's privileges.
func givesRights(path string) bool {
	if os.Geteuid() == 0 {
		return false
	}
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	n, err := unix.Getxattr(path, "security.capability", nil)
	return info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 || err == nil && n > 0
}

// redirect makes descriptor to refer to the same file as from.
func redirect(from, to int) error { return unix.Dup3(from, to, 0) }

// nameProcess sets the process's short name to that of a holder; the default is that of the link it
// was executed by.
func nameProcess() {
	_ = os.WriteFile("/proc/self/comm", []byte(proc.HolderName), 0)
}

// flushInput drops what was typed into the terminal fd and not read.
func flushInput(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
