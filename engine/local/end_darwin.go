package local

import (
	"context"
	"syscall"
	"time"

	"github.com/hobjobs/hob/internal/proc"
)

const waitContinued = 0

// haveChildren is not known without looking at all processes.
func haveChildren() bool { return true }

// waitEnd waits until the child pid has ended and leaves it to be reaped. It
// returns false when ctx ends first.
func waitEnd(ctx context.Context, pid int) bool {
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		if p, err := proc.Stat(pid); err != nil || p.Dead() {
			return true
		}
		if !sleep(ctx, pause) {
			return false
		}
	}
}

// maxRSS is in bytes.
func maxRSS(u syscall.Rusage) int64 { return u.Maxrss }
