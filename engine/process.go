package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hobjobs/hob/internal/shellword"
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

// running returns the job on this machine that runs the process: one that is being stopped only if there is no other.
func (p processLabels) running(ctx context.Context, e *Engine) (j Job, ok bool, err error) {
	if p == nil {
		return Job{}, false, nil
	}
	jobs, err := e.List(ctx, Filter{Here: true, Running: true, Labels: p})
	if err != nil {
		return Job{}, false, err
	}
	if len(jobs) == 0 {
		return Job{}, false, nil
	}
	i := slices.IndexFunc(jobs, func(j Job) bool { return j.Status != Stopping })
	return jobs[max(0, i)], true, nil
}

// waitStopped returns when a job is not being stopped any more.
func waitStopped(ctx context.Context, h *Handle, j Job) error {
	limited, cancel := context.WithTimeout(ctx, max(0, time.Until(j.StopDeadline()))+stopMargin)
	defer cancel()
	_, err := h.waitUntil(limited, nil, func(now Job) bool { return now.Status != Stopping })
	switch {
	case errors.Is(err, ErrNotFound): // cleared since
		return nil
	case limited.Err() != nil && ctx.Err() == nil:
		return &Error{
			Op:   "start",
			Err:  fmt.Errorf("%s is being stopped and has not ended", j.ID),
			Hint: fmt.Sprintf("end it first: hob kill --grace 0s %s", j.ID),
		}
	}
	return err
}

// NeedsLabel is the label with the names of the processes that a process of a project uses while it runs, quoted as for
// a shell.
const NeedsLabel = "needs"

// inProject is a process by the directory of its project and its name.
type inProject struct{ project, process string }

// stopLevels returns the indexes of jobs in the order in which they are stopped: those in queues, then all that no
// other job needs, then the next level. All jobs of a level can be stopped at once. If isKill, the order among
// processes does not matter.
func stopLevels(jobs []Job, isKill bool) (levels [][]int) {
	var queued, left []int
	for i, j := range jobs {
		if j.Status == Queued {
			queued = append(queued, i)
		} else {
			left = append(left, i)
		}
	}
	levels = append(levels, queued)
	for len(left) > 0 {
		needed := map[inProject]bool{}
		for _, i := range left {
			names, _ := shellword.Fields(jobs[i].Labels[NeedsLabel])
			for _, name := range names {
				needed[inProject{jobs[i].Labels["project"], name}] = true
			}
		}
		var level, rest []int
		for _, i := range left {
			labels := jobs[i].Labels
			if needed[inProject{labels["project"], cmp.Or(labels["process"], jobs[i].Name)}] {
				rest = append(rest, i)
			} else {
				level = append(level, i)
			}
		}
		isCircle := len(level) == 0 // labels set by hand, or jobs of two versions of the file
		if isCircle || isKill {
			return append(levels, left)
		}
		levels, left = append(levels, level), rest
	}
	return levels
}
