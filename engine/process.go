package engine

import (
	"cmp"
	"context"
	"slices"

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
		isCircle := len(level) == 0 // by hand, or of two versions of the file
		if isCircle || isKill {
			return append(levels, left)
		}
		levels, left = append(levels, level), rest
	}
	return levels
}
