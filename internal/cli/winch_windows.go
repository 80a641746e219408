package cli

import (
	"context"

	"github.com/hobjobs/hob/engine"
)

// keepSize has nothing to tell: there are no jobs with a terminal here.
func (a *app) keepSize(ctx context.Context, _ engine.Terminal) error {
	<-ctx.Done()
	return ctx.Err()
}
