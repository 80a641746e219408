package cli

import (
	"context"
	"errors"

	"github.com/hobjobs/hob/engine"
)

// oneJob is the job that the only word of args means. Without a word a person
// chooses among the jobs that f selects on a terminal; elsewhere it is wrong usage.
func (a *app) oneJob(ctx context.Context, args []string, in engine.Intent, f engine.Filter, question string) (engine.Job, error) {
	if len(args) > 0 {
		return a.find(ctx, args[0], in)
	}
	if !isTerminal(a.stdin) || !hasScreen(a.stderr) {
		return engine.Job{}, usagef("hob list shows the ids; @ is the newest job", "which job?")
	}
	if _, err := a.engine(); err != nil {
		return engine.Job{}, err
	}
	jobs, err := a.eng.List(ctx, f)
	if err != nil {
		return engine.Job{}, err
	}
	if len(jobs) == 0 {
		return engine.Job{}, &failure{exit: exitNoJob, code: "not_found", err: errors.New("there is no job to choose from"), hint: "hob run -b CMD starts one"}
	}
	job, err := a.pick(ctx, jobs, question)
	if err != nil {
		return job, err
	}
	return a.find(ctx, string(job.ID), in)
}

// find is the job that ref means, as it stands now: if it has not ended its host
// is asked, and the error is ErrUnreachable if that cannot be.
func (a *app) find(ctx context.Context, ref string, in engine.Intent) (engine.Job, error) {
	job, err := a.resolve(ctx, ref, in)
	if err != nil || job.Host == "" || job.Status.Finished() {
		return job, err
	}
	if err := a.connect(ctx, job); err != nil {
		return engine.Job{}, &engine.Error{Op: "find", Job: job.ID, Backend: job.Backend, Err: err}
	}
	return a.eng.Resolve(ctx, string(job.ID), in)
}

// resolve is the job that ref means. What is last known of jobs on hosts will do
// for that, unless the name is that of several that seem to run. It opens the state root.
func (a *app) resolve(ctx context.Context, ref string, in engine.Intent) (engine.Job, error) {
	eng, err := a.engine()
	if err != nil {
		return engine.Job{}, err
	}
	job, err := eng.Resolve(ctx, ref, in)
	several, ok := errors.AsType[*engine.AmbiguousError](err)
	if !ok {
		return job, err
	}
	var doubtful []string
	for _, j := range several.Candidates {
		if j.Host != "" && !j.Status.Finished() {
			doubtful = append(doubtful, j.Host)
		}
	}
	if len(doubtful) == 0 {
		return job, err
	}
	a.tryHosts(ctx, doubtful...)
	return a.eng.Resolve(ctx, ref, in)
}

// manyJobs resolves all references before anything is done to any of them. A job
// named twice counts once.
func (a *app) manyJobs(ctx context.Context, refs []string, in engine.Intent) ([]engine.Job, error) {
	var jobs []engine.Job
	seen := map[engine.ID]bool{}
	for _, ref := range refs {
		j, err := a.find(ctx, ref, in)
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

// again reads the jobs as they are now, and one that was cleared as it ended.
func (a *app) again(ctx context.Context, jobs []engine.Job) []engine.Job {
	now := make([]engine.Job, len(jobs))
	for i, j := range jobs {
		now[i] = j
		if fresh, err := a.eng.GetWithTrash(ctx, j.ID); err == nil {
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
