//go:build linux || darwin

package localjob

import (
	"sync/atomic"
	"time"
)

const (
	// restTime is when a holder releases the memory that its start needed: most of its code is
	// never needed again. It is later than the flush of recent output.
	restTime = 1500 * time.Millisecond
	// restAgain is how long a job that has printed muchOutput bytes must be quiet before its holder
	// releases memory again.
	restAgain  = time.Second
	muchOutput = 1 << 20
)

// rest releases memory: once after the start, and after much output when it has stopped. Between
// these it has no running timer. The prompter releases what its later checks needed.
type rest struct {
	since atomic.Int64 // bytes printed since the last time; reaching muchOutput starts the timer
	timer atomic.Pointer[time.Timer]
}

func (r *rest) start() { r.timer.Store(time.AfterFunc(restTime, releasePages)) }

// printed counts n bytes of output.
func (r *rest) printed(n int) {
	now := r.since.Add(int64(n))
	if now >= muchOutput && now-int64(n) < muchOutput {
		r.arm(now)
	}
}

// arm checks after restAgain whether there was more output than seen.
func (r *rest) arm(seen int64) {
	r.timer.Store(time.AfterFunc(restAgain, func() {
		if r.since.CompareAndSwap(seen, 0) {
			releasePages()
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
