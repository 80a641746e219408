//go:build !linux && !darwin

package local

import (
	"context"

	"github.com/hobjobs/hob/engine"
)

// hasHolders reports whether this system can have holders.
const hasHolders = false

// IsHolder reports whether this process was started to be the holder of a job.
// There are none on this system.
func IsHolder() bool { return false }

// RunHolder is the holder of one job; not on this system.
func RunHolder() int { return 1 }

// RunHolderWith is [RunHolder] for a holder that can be asked for a job; not on this
// system.
func RunHolderWith(Starter) int { return 1 }

// Started reports whether a job that its holder was asked for was started: none is on
// this system.
func Started(string) bool { return false }

// Capabilities implements [engine.Backend].
func (b *Backend) Capabilities() engine.Capabilities { return engine.Capabilities{} }

// Start implements [engine.Backend]. It is not asked here, since nothing is served.
func (b *Backend) Start(context.Context, engine.Launch) (engine.Run, error) {
	return nil, engine.ErrUnsupported
}

// Spare is a holder that was started before there is a job for it.
type Spare struct{}

// Ahead starts a holder for the job that the caller is about to ask for; there
// are none on this system.
func Ahead() *Spare { return &Spare{} }

// Close ends the holder if no job has got it.
func (*Spare) Close() error { return nil }

type ownStart struct{}

type children struct{}

func (*children) reap() {}

type inner struct{}

func (*inner) close() error { return nil }
