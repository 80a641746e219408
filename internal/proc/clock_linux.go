package proc

import "golang.org/x/sys/unix"

// The clocks that nobody sets: one that stands still while the machine sleeps,
// and one that does not.
const (
	clockRunning   = unix.CLOCK_MONOTONIC
	clockSinceBoot = unix.CLOCK_BOOTTIME
)
