package within

import (
	"slices"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobname"
)

// The labels of the jobs that hob up starts.
const (
	projectLabel = "project" // the directory of the project
	processLabel = "process"
)

// Named returns the jobs that have a name, or whose process has it.
func Named(jobs []engine.Job, name string) []engine.Job {
	return slices.DeleteFunc(slices.Clone(jobs), func(j engine.Job) bool {
		return j.Name != name && j.Name != jobname.Clip(name) && j.Labels[processLabel] != name
	})
}

// Nearest returns which of the jobs with a name that name means in dir; none if it means jobs of other directories.
// These are the jobs of the innermost project around dir, or else those that were started in dir. If some of both run,
// those of the project are meant, and if only others run, those.
func Nearest(named []engine.Job, dir string) []engine.Job {
	dir = resolved(dir)
	innermost := ""
	for _, j := range named {
		if root := j.Labels[projectLabel]; isAround(j, dir) && len(root) > len(innermost) {
			innermost = root
		}
	}
	ofProject := filter(named, func(j engine.Job) bool { return isAround(j, dir) && j.Labels[projectLabel] == innermost })
	inDir := filter(named, func(j engine.Job) bool {
		return j.Host == "" && j.Labels[projectLabel] == "" && resolved(j.Dir) == dir
	})
	for _, jobs := range [][]engine.Job{ofProject, inDir} {
		if slices.ContainsFunc(jobs, isRunning) {
			return jobs
		}
	}
	if len(ofProject) > 0 {
		return ofProject
	}
	return inDir
}

// isAround reports whether dir belongs to the project of a job.
func isAround(j engine.Job, dir string) bool {
	root := j.Labels[projectLabel]
	return j.Host == "" && root != "" && belowHere(dir, root)
}

func isRunning(j engine.Job) bool { return !j.Status.Finished() && j.Status != engine.Stopping }

func filter(jobs []engine.Job, selects func(engine.Job) bool) []engine.Job {
	return slices.DeleteFunc(slices.Clone(jobs), func(j engine.Job) bool { return !selects(j) })
}
