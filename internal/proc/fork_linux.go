package proc

import (
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Fork starts a program with no signal blocked, whatever mask this process was
// started with: a child gets the mask of the thread that forks.
func Fork(path string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var none, old unix.Sigset_t
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &none, &old); err == nil {
		defer func() { _ = unix.PthreadSigmask(unix.SIG_SETMASK, &old, nil) }()
	}
	return syscall.ForkExec(path, argv, attr)
}
