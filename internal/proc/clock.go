package proc

import "time"

// The monotonic clock at one moment, as the system counts it and as this process
// does: the two go alike.
var (
	anchor   = time.Now()
	anchorUp = Running()
)

// RunningAt is what [Running] was or will be at a moment of this process. Of a
// moment without a monotonic reading it is only as good as the wall clock.
func RunningAt(t time.Time) time.Duration { return anchorUp + t.Sub(anchor) }
