package proc

import "time"

// The monotonic clock at one moment, as the system counts it and as this process
// does: the two go alike.
var (
	anchor   = time.Now()
	anchorUp = runningHere()
)

// RunningAt is how long the machine has run since it started at a moment of this
// process, without the time that it slept: the clock of timeouts and uptimes, which
// nobody can set and which all processes of one boot share. Of a moment without a
// monotonic reading it is only as good as the wall clock.
func RunningAt(t time.Time) time.Duration {
	return anchorUp - clocksAhead().running + t.Sub(anchor)
}

// ahead is by how much the clocks of this process are ahead of the machine's.
type ahead struct{ running, sinceBoot time.Duration }
