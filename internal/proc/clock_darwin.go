package proc

// The clocks that nobody sets: CLOCK_UPTIME_RAW stands still while the machine
// sleeps, CLOCK_MONOTONIC_RAW does not. package unix names neither.
const (
	clockRunning   = 8
	clockSinceBoot = 4
)

// clocksAhead is nothing: macOS has one set of clocks.
func clocksAhead() ahead { return ahead{} }
