//go:build linux || darwin

package hostjob

import (
	"context"
	"errors"
	"time"

	"github.com/hobjobs/hob/internal/holder"
)

const (
	// typeFor is how long one request types what a job reads slowly: the client waits 30 seconds for the answer.
	typeFor = 10 * time.Second
	// The steps are small while each takes long, so that the last one does not.
	smallStep, largeStep = 1 << 10, 8 << 10
)

// typeSlowly writes p, or as much of it as the job reads in time, and returns how much that is.
func typeSlowly(ctx context.Context, p []byte, write func(context.Context, []byte) error) (taken int, err error) {
	step := smallStep
	for end := time.Now().Add(typeFor); taken < len(p) && time.Now().Before(end); {
		n, began := min(step, len(p)-taken), time.Now()
		if err := write(ctx, p[taken:taken+n]); err != nil {
			if f, ok := errors.AsType[*holder.Failure](err); ok {
				f.Taken += taken
			}
			return taken, err
		}
		taken += n
		if step = min(2*step, largeStep); time.Since(began) > time.Second {
			step = smallStep
		}
	}
	return taken, nil
}
