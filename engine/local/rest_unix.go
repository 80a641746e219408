//go:build linux || darwin

package local

import (
	"sync/atomic"
	"time"
)

const (
	// restTime is when a holder gives back what its start needed: most of its
	// code is never needed again. It is after the flush of what was written.
	restTime = 1500 * time.Millisecond
	// restAgain is how long a job that has printed much must have been quiet
	// before its holder does it again, and muchOutput is much.
	restAgain  = time.Second
	muchOutput = 1 << 20
)

// rest gives memory back: once after the start, and after much output once that
// has stopped. In between nothing ticks.
type rest struct {
	since atomic.Int64 // bytes printed since the last time; whoever reaches muchOutput arms
	timer atomic.Pointer[time.Timer]
}

func (r *rest) start() { r.timer.Store(time.AfterFunc(restTime, letGoOfPages)) }

// printed takes note of n bytes of output.
func (r *rest) printed(n int) {
	now := r.since.Add(int64(n))
	if now >= muchOutput && now-int64(n) < muchOutput {
		r.arm(now)
	}
}

// arm looks again in restAgain whether there was more than seen by then.
func (r *rest) arm(seen int64) {
	r.timer.Store(time.AfterFunc(restAgain, func() {
		if r.since.CompareAndSwap(seen, 0) {
			letGoOfPages()
			return
		}
		r.arm(r.since.Load())
	}))
}

func (r *rest) stop() {
	if t := r.timer.Load(); t != nil {
		t.Stop()
	}
}
