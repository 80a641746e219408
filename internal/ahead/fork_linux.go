package ahead

import (
	"runtime"
	"syscall"
	"unsafe"
)

// Fork starts a program with no signal blocked, whatever mask this process was
// started with, and with the timer slack that is a holder's children's (see
// [WithSlack]): a child gets both from the thread that forks.
func Fork(path string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	err = WithSlack(func() (err error) {
		pid, err = fork(path, argv, attr)
		return err
	})
	return pid, err
}

func fork(path string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	var none, old sigset
	// All threads of a Go program have the mask that the first was started with.
	if setMask(nil, &old) && old == none {
		return syscall.ForkExec(path, argv, attr)
	}
	runtime.LockOSThread() // which costs a thread
	defer runtime.UnlockOSThread()
	if setMask(&none, &old) {
		defer setMask(&old, nil)
	}
	return syscall.ForkExec(path, argv, attr)
}

// sigset has room for the signals of any Linux: 128 on MIPS, 64 elsewhere.
type sigset [16]byte

// setMask changes which signals this thread blocks. It is here, and not taken from
// golang.org/x/sys, so that this package need not wait for that one's start.
func setMask(set, old *sigset) bool {
	how, size := uintptr(2), uintptr(8) // SIG_SETMASK
	switch runtime.GOARCH {
	case "mips", "mipsle", "mips64", "mips64le":
		how, size = 3, 16
	}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, how,
		uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(old)), size, 0, 0)
	return errno == 0
}
