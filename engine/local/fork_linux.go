package local

import (
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/internal/ahead"
)

// forkHeld is [ahead.Fork] for a program that is not to run before ready returns:
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
	pid, err := ahead.Fork(path, argv, &traced)
	if err == unix.EPERM || err == unix.ENOSYS {
		return forkThen(path, argv, attr, ready)
	}
	if err != nil {
		return 0, err
	}
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(pid, &status, syscall.WALL, nil)
		if err != unix.EINTR {
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
