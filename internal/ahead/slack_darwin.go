package ahead

import "syscall"

// forkHolder is Fork for a holder.
func forkHolder(_ bool, path string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	return Fork(path, argv, attr)
}

// KeepSlack: programs have no timer slack here.
func KeepSlack() {}

// WithSlack calls start.
func WithSlack(start func() error) error { return start() }
