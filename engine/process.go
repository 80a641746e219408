package engine

import (
	"context"
	"slices"
)

// processLabels are the labels by which a process of a project is known: two projects may have a group or a process
// of the same name. nil: not a process of a project.
type processLabels map[string]string

// processOf returns those of labels that are of a process of a project.
func processOf(labels map[string]string) processLabels {
	of := processLabels{}
	for _, name := range []string{"group", "project", "process"} {
		if of[name] = labels[name]; of[name] == "" {
			return nil
		}
	}
	return of
}

// running returns the job on this machine that runs the process. A job that is being stopped does not count.
func (p processLabels) running(ctx context.Context, e *Engine) (j Job, ok bool, err error) {
	if p == nil {
		return Job{}, false, nil
	}
	jobs, err := e.List(ctx, Filter{Here: true, Running: true, Labels: p})
	if err != nil {
		return Job{}, false, err
	}
	i := slices.IndexFunc(jobs, func(j Job) bool { return j.Status != Stopping })
	if i < 0 {
		return Job{}, false, nil
	}
	return jobs[i], true, nil
}
