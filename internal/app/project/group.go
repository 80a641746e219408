package project

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/notes"
	"github.com/hobjobs/hob/internal/shellword"
)

// The labels of the jobs of a project.
const (
	groupLabel   = "group"   // the name of the group
	projectLabel = "project" // the directory of the project: two projects may have the same group
	processLabel = "process" // the name of the process
	baseLabel    = "copy-of" // for a copy of a process: the name of that
	// strangerLabel is the pid that listened on the port of the process's probe when that started.
	strangerLabel = "port-taken-by"
)

// Group is the jobs of a project.
type Group struct {
	Name string // empty: any
	Dir  string // of the project, see Canonical; empty: any
}

// Labels returns the labels of the group's jobs.
func (g Group) Labels() map[string]string {
	labels := map[string]string{}
	if g.Name != "" {
		labels[groupLabel] = g.Name
	}
	if g.Dir != "" {
		labels[projectLabel] = g.Dir
	}
	return labels
}

// GroupOf returns the group of jobs with these labels.
func GroupOf(labels map[string]string) Group {
	return Group{Name: labels[groupLabel], Dir: labels[projectLabel]}
}

// Has reports whether a job belongs to the group.
func (g Group) Has(j engine.Job) bool {
	ofGroup := engine.Filter{Labels: g.Labels()}
	return ofGroup.Selects(&j)
}

// Canonical returns the path of a directory without symbolic links, by which its project is known.
func Canonical(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// Running returns the jobs of the group on this machine that have not ended, the last one started first.
func (g Group) Running(ctx context.Context, eng *engine.Engine) ([]engine.Job, error) {
	return g.jobs(ctx, eng, engine.Filter{Running: true})
}

// jobs returns the jobs of the group on this machine that f selects, the last one started first.
func (g Group) jobs(ctx context.Context, eng *engine.Engine, f engine.Filter) ([]engine.Job, error) {
	f.Here, f.Labels = true, g.Labels()
	jobs, err := eng.List(ctx, f)
	slices.SortStableFunc(jobs, func(a, b engine.Job) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return jobs, err
}

// last returns the newest job of a process, also one that has ended; "" if there is none.
func (g Group) last(ctx context.Context, eng *engine.Engine, process string) (engine.ID, error) {
	labels := g.Labels()
	labels[processLabel] = process
	jobs, err := eng.List(ctx, engine.Filter{Here: true, Labels: labels})
	if err != nil || len(jobs) == 0 {
		return "", err
	}
	return jobs[0].ID, nil
}

// ByUp stands in the record of a job for hob up, which created or stopped it.
const ByUp = "up"

// Newest returns one job of each process of the group, oldest first: the running one, or else the last one. Jobs that
// hob up has stopped do not count: they were replaced, or the file has them no longer. Nor does one that has ended, if
// a later hob up did not want it any more, if copies of its process were started later, or the process itself after a
// copy.
func (g Group) Newest(ctx context.Context, eng *engine.Engine) ([]engine.Job, error) {
	jobs, err := eng.List(ctx, engine.Filter{Here: true, Labels: g.Labels()})
	if err != nil {
		return nil, err
	}
	newest := map[[2]string]engine.Job{}
	isCopied := map[[2]string]bool{}          // whether a process has copies now
	for _, j := range slices.Backward(jobs) { // the newest one last
		of := [2]string{j.Labels[projectLabel], ProcessOf(j)}
		if before, ok := newest[of]; !ok || before.Status.Finished() || !j.Status.Finished() {
			newest[of] = j
		}
		isCopied[baseOf(j)] = isCopy(j)
	}
	book := notes.Of(eng.StateDir())
	maps.DeleteFunc(newest, func(_ [2]string, j engine.Job) bool {
		if isLeftOut(book, j) {
			return true
		}
		isReplaced := j.Exit.EndedBy == ByUp || isCopied[baseOf(j)] != isCopy(j)
		return j.Status.Finished() && isReplaced
	})
	return slices.SortedFunc(maps.Values(newest), func(a, b engine.Job) int { return a.CreatedAt.Compare(b.CreatedAt) }), nil
}

// ProcessOf returns the name of the process that a job runs. A job that was added to the group by hand
// has its own name.
func ProcessOf(j engine.Job) string { return cmp.Or(j.Labels[processLabel], j.Name) }

func isCopy(j engine.Job) bool { return j.Labels[baseLabel] != "" }

// baseOf returns the project and the process of a job, which is that of all copies.
func baseOf(j engine.Job) [2]string {
	return [2]string{j.Labels[projectLabel], cmp.Or(j.Labels[baseLabel], ProcessOf(j))}
}

// Exists reports whether the group has jobs, also such that have ended.
func (g Group) Exists(ctx context.Context, eng *engine.Engine) (bool, error) {
	jobs, err := eng.List(ctx, engine.Filter{Here: true, Labels: g.Labels()})
	return len(jobs) > 0, err
}

// Groups returns the names of all groups of this machine.
func Groups(ctx context.Context, eng *engine.Engine) ([]string, error) {
	jobs, err := eng.List(ctx, engine.Filter{Here: true, Unverified: true})
	names := map[string]bool{}
	for _, j := range jobs {
		if name := j.Labels[groupLabel]; name != "" {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names)), err
}

// Down stops the given jobs, as [engine.Engine.StopAll] does. It calls stopped for each one that it has stopped, one at
// a time. It continues after an error; the result has all errors, also those of stopped.
func Down(ctx context.Context, eng *engine.Engine, jobs []engine.Job, by string, stopped func(engine.Job, engine.StopReport) error) error {
	var reporting sync.Mutex
	var errs []error
	eng.StopAll(ctx, jobs, engine.StopOptions{By: by}, func(i int, report engine.StopReport, err error) {
		reporting.Lock()
		defer reporting.Unlock()
		switch {
		case errors.Is(err, engine.ErrNotRunning): // it ended meanwhile, perhaps because of the one before
		case err != nil:
			errs = append(errs, err)
		default:
			errs = append(errs, stopped(jobs[i], report))
		}
	})
	return errors.Join(errs...)
}

// needNames returns the value of [engine.NeedsLabel]: a process that has to end first is not used later.
func needNames(proc Process) string {
	var names []string
	for _, n := range proc.Needs {
		if n.Until == Started || n.Until == IsReady {
			names = append(names, n.Name)
		}
	}
	return shellword.Join(names)
}

// describe returns what a process waits for before it starts, such as "db listens on port 5432".
func (n Need) describe(other Process) string {
	switch {
	case n.Until == Completed:
		return n.Name + " has ended"
	case n.Until == Succeeded:
		return n.Name + " has succeeded"
	case n.Until == IsReady && other.Ready.Probe.exists():
		return n.Name + " " + other.Ready.Probe.String()
	case n.Until == IsReady:
		return n.Name + " prints a line that matches " + strings.TrimSpace(other.Ready.Line)
	}
	return n.Name + " has started"
}

// After returns what a process of the chosen ones waits for, one text for each need.
func After(proc Process, chosen []Process) (texts []string) {
	for _, n := range proc.Needs {
		i := slices.IndexFunc(chosen, func(p Process) bool { return p.Name == n.Name })
		texts = append(texts, n.describe(chosen[i]))
	}
	return texts
}
