package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh"
	"github.com/hobjobs/hob/internal/app/within"
)

// oneJob returns the job that the only argument refers to. Without an argument the user
// chooses among the jobs that f selects; if there is no terminal, that is a usage error.
func (a *app) oneJob(ctx context.Context, args []string, in engine.Intent, f engine.Filter, question string) (engine.Job, error) {
	if len(args) > 0 {
		return a.find(ctx, args[0], in)
	}
	if !isTerminal(a.stdin) || !hasScreen(a.stderr) {
		return engine.Job{}, usagef("@ is the newest job. See: hob list", "missing job ID")
	}
	jobs, err := a.eng.List(ctx, f)
	if err != nil {
		return engine.Job{}, err
	}
	if len(jobs) == 0 {
		return engine.Job{}, &failure{
			exit: exitNoJob,
			code: "not_found",
			err:  errors.New("no jobs to choose from"),
			hint: "Start one: hob run -b CMD",
		}
	}
	job, err := a.pick(ctx, jobs, question)
	if err != nil {
		return job, err
	}
	return a.find(ctx, string(job.ID), in)
}

// find returns the job that ref refers to in its current state. For a job on a host that
// has not ended it connects to the host, and returns ErrUnreachable if that fails.
func (a *app) find(ctx context.Context, ref string, in engine.Intent) (engine.Job, error) {
	job, err := a.resolve(ctx, ref, in)
	if err != nil || job.Host == "" || job.Status.Finished() {
		return job, err
	}
	if err := a.connectFor(ctx, job); err != nil {
		return engine.Job{}, &engine.Error{
			Op:      "find",
			Job:     job.ID,
			Backend: job.Backend,
			Err:     err,
		}
	}
	return a.eng.Find(ctx, string(job.ID), in)
}

// resolve returns the job that ref refers to; a name means first a job of the current directory. Jobs on hosts are
// taken as last known, unless several of that name appear to be running.
func (a *app) resolve(ctx context.Context, ref string, in engine.Intent) (engine.Job, error) {
	if job, ok, err := findHere(ctx, a, ref, in); ok || err != nil {
		return job, a.refError(ctx, ref, err)
	}
	job, err := a.eng.Find(ctx, ref, in)
	several, ok := errors.AsType[*engine.AmbiguousError](err)
	if !ok {
		return job, a.refError(ctx, ref, err)
	}
	var hosts []string // of candidates that may have ended
	for _, j := range several.Candidates {
		if j.Host != "" && !j.Status.Finished() {
			hosts = append(hosts, j.Host)
		}
	}
	if len(hosts) > 0 {
		a.tryHosts(ctx, hosts...)
		job, err = a.eng.Find(ctx, ref, in)
	}
	return job, a.refError(ctx, ref, err)
}

// resolveNow is resolve with the current state of a job on a host, if the host answers in time. The
// command must ask for more only with the context soon, which limits how long it waits for the host.
func (a *app) resolveNow(ctx context.Context, ref string) (job engine.Job, soon context.Context, err error) {
	soon = ssh.WithInteraction(ssh.WithHostDeadline(ctx, time.Now().Add(hostTimeout)), false)
	job, err = a.resolve(soon, ref, engine.Read)
	if err != nil || job.Status.Finished() || !a.onOtherMachine(job) {
		return job, soon, err
	}
	a.tryHosts(soon, job.Host)
	job, err = a.eng.Handle(job.ID).Facts(soon)
	return job, soon, err
}

// manyJobs resolves all references before anything is done to any job. A job that is
// named twice is returned once.
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

// markSeen records that the user has seen how a job ended, if it has. Commands with --json
// do not: their output is for programs.
func (a *app) markSeen(id engine.ID) {
	if a.json {
		return
	}
	if err := a.eng.MarkSeen(id); err != nil {
		a.logger().Debug("cannot mark a job as seen", "err", err)
	}
}

// refresh returns the jobs in their current state, with their usage, including jobs that were cleared
// meanwhile.
func (a *app) refresh(ctx context.Context, jobs ...engine.Job) []engine.Job {
	current := make([]engine.Job, len(jobs))
	for i, j := range jobs {
		current[i] = j
		if job, err := a.eng.Handle(j.ID).LastFacts(ctx); err == nil {
			current[i] = job
		}
	}
	return a.eng.MeasureAll(current)
}

func idsOf(jobs []engine.Job) []engine.ID {
	ids := make([]engine.ID, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	return ids
}

// dirFlag adds the flag --dir, which selects the jobs that were started in a directory or below.
func dirFlag(cmd *cobra.Command, to *string, usage string) {
	cmd.Flags().Var(parseInto(to, "DIR", parseDir), "dir", usage)
	_ = cmd.MarkFlagDirname("dir") // fails only for an undefined flag
}

// parseDir returns the absolute path of a directory, which need not exist.
func parseDir(s string) (string, error) {
	if _, err := notEmpty(s); err != nil {
		return "", err
	}
	dir, err := filepath.Abs(s)
	if shell := os.Getenv("PWD"); errors.Is(err, fs.ErrNotExist) && filepath.IsAbs(shell) {
		return filepath.Join(shell, s), nil // the working directory was deleted
	}
	return dir, err
}

func dirWithIDs() error {
	return usagef("use two commands", "IDs cannot be combined with --dir")
}

// jobsInDir returns the jobs that f selects and that were started in dir or below. It contacts
// their hosts, for a short time and without prompting, so that the jobs there can be acted on.
func (a *app) jobsInDir(ctx context.Context, dir string, f engine.Filter) ([]engine.Job, error) {
	jobs, err := a.eng.List(ctx, f)
	if err != nil {
		return nil, err
	}
	jobs = within.Dir(jobs, dir)
	var hosts []string
	for _, j := range jobs {
		if !j.Status.Finished() && a.onOtherMachine(j) && !slices.Contains(hosts, j.Host) {
			hosts = append(hosts, j.Host)
		}
	}
	a.tryHosts(ctx, hosts...)
	return jobs, nil
}
