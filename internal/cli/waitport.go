package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hobjobs/hob/engine"
)

// portInterval is how often a job is asked for its ports. Nobody tells when a
// process begins to listen.
const portInterval = 100 * time.Millisecond

// waitForPort waits until a process of the job listens on port.
func waitForPort(port int) waiter {
	return func(ctx context.Context, eng *engine.Engine, job engine.Job) (int, error) {
		tick := time.NewTicker(portInterval)
		defer tick.Stop()
		for {
			now, err := eng.Get(ctx, string(job.ID))
			switch {
			case err != nil:
				return 0, err
			case slices.Contains(now.Ports, port):
				return 0, nil
			case now.Status.Finished():
				return 0, endedBefore(job, fmt.Sprintf("it listened on port %d", port))
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}
	}
}
