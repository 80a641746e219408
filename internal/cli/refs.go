package cli

import (
	"context"
	"errors"

	"github.com/hobjobs/hob/engine"
)

// oneJob is the job that the only word of args means. Without a word a person
// gets to choose among the jobs that f selects; anybody else made a mistake.
func (a *app) oneJob(ctx context.Context, args []string, in engine.Intent, f engine.Filter, question string) (engine.Job, error) {
	eng, err := a.engine()
	if err != nil {
		return engine.Job{}, err
	}
	if len(args) > 0 {
		return eng.Resolve(ctx, args[0], in)
	}
	if !isTerminal(a.stdin) || !isTerminal(a.stderr) {
		return engine.Job{}, usagef("hob list shows the ids; @ is the newest job", "which job?")
	}
	jobs, err := eng.List(ctx, f)
	if err != nil {
		return engine.Job{}, err
	}
	if len(jobs) == 0 {
		return engine.Job{}, &failure{exit: exitNoJob, code: "not_found", err: errors.New("there is no job to choose from"), hint: "hob run -b CMD starts one"}
	}
	return a.pick(ctx, jobs, question)
}

// manyJobs resolves all references before anything is done to any of them. A job
// named twice counts once.
func (a *app) manyJobs(ctx context.Context, refs []string, in engine.Intent) ([]engine.Job, error) {
	eng, err := a.engine()
	if err != nil {
		return nil, err
	}
	var jobs []engine.Job
	seen := map[engine.ID]bool{}
	for _, ref := range refs {
		j, err := eng.Resolve(ctx, ref, in)
		if err != nil {
			return nil, err
		}
		if !seen[j.ID] {
			seen[j.ID] = true
			jobs = append(jobs, j)
		}
	}
	return jobs, nil
}

// again reads the jobs as they are now. One that is gone stays as it was.
func again(ctx context.Context, eng *engine.Engine, jobs []engine.Job) []engine.Job {
	now := make([]engine.Job, len(jobs))
	for i, j := range jobs {
		now[i] = j
		if fresh, err := eng.Get(ctx, string(j.ID)); err == nil {
			now[i] = fresh
		}
	}
	return now
}

// idsOf are the ids of jobs.
func idsOf(jobs []engine.Job) []engine.ID {
	ids := make([]engine.ID, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	return ids
}
