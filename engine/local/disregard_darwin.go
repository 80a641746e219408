package local

import "syscall"

// disregard: here the Go runtime is asked to tell of signals that nobody hears.
func disregard(syscall.Signal) bool { return false }
