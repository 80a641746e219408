//go:build linux || darwin

package proc

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// SinceBoot is how long ago the machine started, time that it slept included: the
// clock of ages. Zero if unknown.
func SinceBoot() time.Duration { return readClock(clockSinceBoot) - clocksAhead().sinceBoot }

func runningHere() time.Duration { return readClock(clockRunning) }

func readClock(id int32) time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(id, &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

// TTYMode is the mode of the terminal that the descriptor fd of this process
// is; a master answers for its slave.
func TTYMode(fd int) (Mode, error) {
	t, err := unix.IoctlGetTermios(fd, getAttributes)
	if err != nil {
		return Mode{}, err
	}
	return Mode{Canonical: t.Lflag&unix.ICANON != 0, Echo: t.Lflag&unix.ECHO != 0}, nil
}

// ForegroundGroup is the foreground process group of the terminal that the
// descriptor fd of this process is; a master answers for its slave.
func ForegroundGroup(fd int) (int, error) {
	return unix.IoctlGetInt(fd, unix.TIOCGPGRP)
}

func signalName(sig syscall.Signal) string { return unix.SignalName(sig) }

func signalNumber(name string) (syscall.Signal, bool) {
	sig := unix.SignalNum(name)
	return sig, sig != 0
}
