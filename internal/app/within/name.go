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

// Nearest returns which of the jobs with a name that name means in dir: those of the innermost project around dir and
// those that were started in dir. If it returns none, name means jobs of other directories.
func Nearest(named []engine.Job, dir string) []engine.Job {
	dir = resolved(dir)
	longest := 0
	for _, j := range named {
		longest = max(longest, closeness(j, dir))
	}
	if longest == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(named), func(j engine.Job) bool { return closeness(j, dir) < longest })
}

// closeness returns the length of the path by which a job belongs to dir; 0: it does not.
func closeness(j engine.Job, dir string) int {
	root := j.Labels[projectLabel]
	switch {
	case j.Host != "":
		return 0
	case root != "" && belowHere(dir, root):
		return len(root)
	case root == "" && resolved(j.Dir) == dir:
		return len(dir)
	}
	return 0
}
