package cli

import (
	"context"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/project"
)

// lockOnce returns the job that runs the same command, if there is one. If not, the lock of --once is
// held until start. It waits for the end of a job that is being stopped.
func (a *app) lockOnce(ctx context.Context, spec engine.Spec) (job engine.Job, found bool, err error) {
	for {
		unlock, err := a.eng.Exclusive(ctx, "once")
		if err != nil {
			return job, false, err
		}
		job, found, err = a.runningAlready(ctx, spec)
		if err == nil && !found {
			a.unlock = unlock
			return job, false, nil
		}
		unlock()
		if err != nil || job.Status != engine.Stopping {
			return job, found, err
		}
		a.reportf("waiting until %s has ended, which is being stopped", job.ID)
		if err := project.WaitStopped(ctx, a.eng, job); err != nil {
			return job, false, err
		}
	}
}

// runningAlready finds a job that runs the same command in the same directory, one that is being stopped
// only if there is no other.
func (a *app) runningAlready(ctx context.Context, spec engine.Spec) (job engine.Job, found bool, err error) {
	jobs, err := a.eng.List(ctx, engine.Filter{Running: true, Same: &spec})
	if err != nil || len(jobs) == 0 {
		return engine.Job{}, false, err
	}
	for _, j := range jobs {
		if j.Status != engine.Stopping {
			return j, true, nil
		}
	}
	return jobs[0], true, nil
}
