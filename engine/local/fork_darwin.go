package local

import "syscall"

// forkUnmasked starts a program.
func forkUnmasked(path string, argv []string, attr *syscall.ProcAttr) (int, error) {
	return syscall.ForkExec(path, argv, attr)
}
