//go:build linux || darwin

package proc

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// SinceBoot returns how long ago the machine was booted, including the time that it was
// suspended. It is for ages. It is zero if unknown.
func SinceBoot() time.Duration { return readClock(clockSinceBoot) - namespaceOffsets().sinceBoot }

func readRunningClock() time.Duration { return readClock(clockRunning) }

func readClock(id int32) time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(id, &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

func signalName(sig syscall.Signal) string { return unix.SignalName(sig) }

func signalNumber(name string) (syscall.Signal, bool) {
	sig := unix.SignalNum(name)
	return sig, sig != 0
}
