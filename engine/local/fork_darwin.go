package local

import (
	"os"
	"syscall"
)

// ownProgram is this program.
func ownProgram() (string, error) { return os.Executable() }

// ownFile is where this program's file is.
func ownFile() (string, error) { return os.Executable() }

// forkUnblocked starts a program.
func forkUnblocked(path string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	return syscall.ForkExec(path, argv, attr)
}

// forkHeld starts a program and calls ready when it may run already: there is no
// way to hold it back here.
func forkHeld(path string, argv []string, attr *syscall.ProcAttr, ready func(pid int)) (int, error) {
	return forkThen(path, argv, attr, ready)
}
