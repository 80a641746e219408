package local

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/internal/proc"
)

// ownProgram is this very program, even if its file has been replaced since.
func ownProgram() (string, error) { return "/proc/self/exe", nil }

// ownFile is where this program's file is or was; only its directory matters.
func ownFile() (string, error) { return os.Readlink("/proc/self/exe") }

// forkUnblocked starts a program with no signal blocked, whatever mask this process
// inherited: a child gets the mask of the thread that forks.
func forkUnblocked(path string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var none, old unix.Sigset_t
	if unix.PthreadSigmask(unix.SIG_SETMASK, &none, &old) == nil && old != none {
		defer func() { _ = unix.PthreadSigmask(unix.SIG_SETMASK, &old, nil) }()
	}
	return syscall.ForkExec(path, argv, attr)
}

// forkHeld is [forkUnblocked] for a program that is not to run before ready returns:
// it is held at its first instruction by being traced so far. Where it cannot be
// traced, or would lose by it the rights that its file gives, ready is called when
// it may run already.
func forkHeld(path string, argv []string, attr *syscall.ProcAttr, ready func(pid int)) (int, error) {
	if givesRights(path) {
		return forkThen(path, argv, attr, ready)
	}
	runtime.LockOSThread() // a tracer is a thread
	defer runtime.UnlockOSThread()
	traced := *attr
	sys := *attr.Sys
	sys.Ptrace = true
	traced.Sys = &sys
	pid, err := forkUnblocked(path, argv, &traced)
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

// givesRights reports whether executing the file makes more of a user than they
// are.
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
