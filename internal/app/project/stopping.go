package project

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

// stopMargin is how long a job that is being stopped may take beyond its deadline.
const stopMargin = 20 * time.Second

// errNotStopping ends the wait for the end of a job.
var errNotStopping = errors.New("the job is not being stopped")

// WaitStopped returns when a job that was being stopped has ended, or is not being stopped any more. It
// returns an error if that takes too long. A caller that starts what is not running calls it first:
// otherwise it would leave alone a job that is about to end.
func WaitStopped(ctx context.Context, eng *engine.Engine, j engine.Job) error {
	limit := max(0, time.Until(j.StopDeadline())) + stopMargin
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := eng.Handle(j.ID).WaitFor(limited, engine.Condition{Look: func(now engine.Job) error {
		if now.Status == engine.Stopping {
			return nil
		}
		return errNotStopping
	}})
	switch {
	case errors.Is(err, errNotStopping), errors.Is(err, engine.ErrNotFound): // cleared since
		return nil
	case err != nil && expired(limited, ctx):
		return fmt.Errorf("%s is being stopped and has not ended after %s; end it first: hob kill --grace 0s %[1]s",
			j.ID, units.DurationText(limit.Round(time.Second)))
	}
	return err
}
