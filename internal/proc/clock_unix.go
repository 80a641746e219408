//go:build linux || darwin

package proc

import (
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
