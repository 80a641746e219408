//go:build !linux && !darwin

package local

import (
	"context"

	"github.com/hobjobs/hob/engine"
)

// hasHolders reports whether this system supports holders.
const hasHolders = false

// IsHolder reports whether this process was started to be the holder of a job. This system has no
// holders.
func IsHolder() bool { return false }

// Capabilities implements [engine.Backend].
func (b *Backend) Capabilities() engine.Capabilities { return engine.Capabilities{} }

// Start implements [engine.Backend]. It is not called, since the backend serves no host on this
// system.
func (b *Backend) Start(context.Context, engine.Launch) (*engine.State, error) {
	return nil, engine.ErrUnsupported
}

type children struct{}

func (*children) reap() {}
