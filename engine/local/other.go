//go:build !linux && !darwin

package local

import (
	"context"

	"github.com/hobjobs/hob/engine"
)

// Capabilities implements [engine.Backend].
func (b *Backend) Capabilities(string) engine.Capabilities { return engine.Capabilities{} }

// Start implements [engine.Backend]. It is not called, since the backend serves no host on this
// system.
func (b *Backend) Start(context.Context, engine.Launch) (*engine.State, error) {
	return nil, engine.ErrUnsupported
}
