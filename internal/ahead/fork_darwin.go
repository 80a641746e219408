package ahead

import "syscall"

// Fork starts a program.
func Fork(path string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	return syscall.ForkExec(path, argv, attr)
}
