//go:build linux || darwin

package proc

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func signalName(sig syscall.Signal) string { return unix.SignalName(sig) }

func signalNumber(name string) (syscall.Signal, bool) {
	sig := unix.SignalNum(name)
	return sig, sig != 0
}
