package cli

import (
	"context"
	"errors"
	"io/fs"

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
	dir := spec.Dir // on a host it is recorded as given
	if spec.Host == "" {
		dir, err = absoluteDir(spec.Dir)
		if errors.Is(err, fs.ErrNotExist) { // the current directory was deleted
			return engine.Job{}, false, nil
		}
		if err != nil {
			return engine.Job{}, false, err
		}
	}
	jobs, err := a.eng.List(ctx, engine.Filter{Running: true, Here: spec.Host == "", Host: spec.Host})
	if err != nil {
		return engine.Job{}, false, err
	}
	for _, j := range jobs {
		same := sameRequest(j, spec) && j.Dir == dir
		if same && j.Status != engine.Stopping {
			return j, true, nil
		}
		if same && !found {
			job, found = j, true
		}
	}
	return job, found, nil
}
