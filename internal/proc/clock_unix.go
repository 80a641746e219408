//go:build linux || darwin

package proc

import (
	"time"

	"golang.org/x/sys/unix"
)

// Running is how long the machine has run since it started, without the time that
// it slept: the clock of timeouts and uptimes, which nobody can set and which all
// processes of one boot share. Zero if unknown.
func Running() time.Duration { return runningHere() - clocksAhead().running }

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
