package cli

import (
	"context"

	"github.com/hobjobs/hob/engine"
)

// catchWindow takes nothing: there are no jobs with a terminal here.
func catchWindow() signalCatch { return signalCatch{release: func() {}} }

// keepSize has nothing to tell.
func (a *app) keepSize(ctx context.Context, _ engine.Terminal, _ signalCatch) error {
	<-ctx.Done()
	return ctx.Err()
}
