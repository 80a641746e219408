package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/hobjobs/hob/engine"
)

// portFlag is a port's number.
type portFlag int

// Set implements pflag.Value.
func (f *portFlag) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || n == 0 {
		return fmt.Errorf("%q is no port: it is a number from 1 to 65535", s)
	}
	*f = portFlag(n)
	return nil
}

// String implements pflag.Value.
func (f *portFlag) String() string {
	if *f == 0 {
		return ""
	}
	return strconv.Itoa(int(*f))
}

// Type implements pflag.Value.
func (*portFlag) Type() string { return "N" }

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
			now, err := eng.GetWithTrash(ctx, job.ID)
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
