//go:build !linux && !darwin

package local

import (
	"context"
	"fmt"

	"github.com/hobjobs/hob/engine"
)

// IsHolder reports whether this process was started to be the holder of a job.
// There are none on this system.
func IsHolder() bool { return false }

// RunHolder is the holder of one job; not on this system.
func RunHolder() int { return 1 }

// Capabilities implements [engine.Backend].
func (b *Backend) Capabilities() engine.Capabilities { return engine.Capabilities{} }

// Start implements [engine.Backend].
func (b *Backend) Start(_ context.Context, l engine.Launch) (engine.Run, error) {
	return nil, &engine.Error{
		Op: "start", Job: l.ID, Backend: b.Name(),
		Err:  fmt.Errorf("jobs of this system itself: %w", engine.ErrUnsupported),
		Hint: "run hob in WSL, or give a host with --on",
	}
}

// Spare is a holder that was started before there is a job for it.
type Spare struct{}

// Ahead starts a holder for the job that the caller is about to ask for; there
// are none on this system.
func Ahead() *Spare { return &Spare{} }

// Close ends the holder if no job has got it.
func (*Spare) Close() error { return nil }

type children struct{}

func (*children) reap() {}

type inner struct{}

func (*inner) close() error { return nil }
