package local

import (
	"runtime"
	"syscall"
	"unsafe"
)

// sigAction is the kernel's struct sigaction on the machines that disregard is for.
type sigAction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

const sigIgnore = 1 // SIG_IGN

// disregard has this process ignore sig, but not the programs that it executes: the Go
// runtime has a handler for sig, as it believes, and gives it back its default action
// in a child. To have the runtime tell of a signal that nobody wants to hear of would
// take two turns between threads, each. It reports false where that does not work. Of
// SIGPIPE: a broken pipe as standard output or standard error still ends the process,
// which has neither once it holds a job.
func disregard(sig syscall.Signal) bool {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		return false
	}
	var had sigAction
	if !sigaction(sig, nil, &had) || had.handler <= sigIgnore {
		return false // the runtime has no handler: it was ignored from the start
	}
	return sigaction(sig, &sigAction{handler: sigIgnore}, nil)
}

func sigaction(sig syscall.Signal, act, old *sigAction) bool {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig),
		uintptr(unsafe.Pointer(act)), uintptr(unsafe.Pointer(old)), unsafe.Sizeof(act.mask), 0, 0)
	return errno == 0
}
