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
		if job.Host != "" {
			return 0, &failure{
				exit: exitFailed, code: "unsupported", err: fmt.Errorf("%s runs on %s, whose ports are not known here", job.ID, job.Host),
				hint: "hob wait --for RE waits for a line that it prints",
			}
		}
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
