package local

import "syscall"

// forkHeld starts a program and calls ready when it may run already: there is no
// way to hold it back here.
func forkHeld(path string, argv []string, attr *syscall.ProcAttr, ready func(pid int)) (int, error) {
	return forkThen(path, argv, attr, ready)
}
