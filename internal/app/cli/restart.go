package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/project"
)

type restartFlags struct {
	env   []string
	keep  bool
	group string
}

func (a *app) restartCommand() *cobra.Command {
	var f restartFlags
	cmd := &cobra.Command{
		Use:     "restart [ID]",
		GroupID: groupRun,
		Short:   "Run a job's command again, stopping it first if it runs",
		Long: "Run a job's command again in the same directory, as a new job, and print its ID.\n" +
			"A running job is stopped first, as by hob kill; --keep leaves it running. The job gets the\n" +
			"current environment; set variables that were passed with -e again.\n\n" +
			"If hob up has started the job, its file is read again: command, variables and the rest are as\n" +
			"the file describes them now. --group restarts all processes of a project.",
		Example:           "hob restart web\nhob restart --group shop\nhob restart --keep worker\nhob restart -e TOKEN=\"$TOKEN\" deploy",
		Args:              argCount(0, 1, "job ID"),
		ValidArgsFunction: a.completeJobs(engine.Filter{}, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.restart(cmd.Context(), args, f)
		},
	}
	cmd.Flags().VarP(listFlag{&f.env, "NAME[=VALUE]"}, "env", "e", "set a variable (NAME=VALUE), or pass NAME through")
	cmd.Flags().BoolVar(&f.keep, "keep", false, "leave a running job running")
	cmd.Flags().Var(nonEmptyFlag(&f.group, "GROUP"), "group", "restart the processes of this group, also those that have ended")
	completeGroups(a, cmd)
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) restart(ctx context.Context, args []string, f restartFlags) error {
	switch {
	case f.group != "" && len(args) > 0:
		return usagef("use two commands", "an ID cannot be combined with --group")
	case f.group == "" && len(args) == 0:
		return usagef("Usage: hob restart ID, or hob restart --group GROUP", "missing job ID")
	}
	given, err := environment(f.env)
	if err != nil {
		return err
	}
	environ := os.Environ()
	for k, v := range given {
		environ = append(environ, k+"="+v)
	}
	eng, err := a.engineWith(a.settings())
	if err != nil {
		return err
	}
	jobs, err := f.jobs(ctx, a, args)
	if err != nil {
		return err
	}
	var results []error
	for _, old := range jobs {
		o := engine.RestartOptions{Keep: f.keep, Env: given}
		results = append(results, restartOne(ctx, a, eng.Handle(old.ID), o, engine.WithEnviron(environ)))
		if stopped, ok := errors.AsType[*failure](results[len(results)-1]); ok && stopped.code == "interrupted" {
			break
		}
	}
	return errors.Join(results...)
}

// jobs returns the job of args, or the jobs of a group. It connects to the host of a job.
func (f restartFlags) jobs(ctx context.Context, a *app, args []string) ([]engine.Job, error) {
	if f.group == "" {
		job, err := a.resolve(ctx, args[0], engine.Read)
		if err != nil {
			return nil, err
		}
		return []engine.Job{job}, a.connectTo(ctx, job.Host)
	}
	jobs, err := project.Group{Name: f.group}.Newest(ctx, a.eng)
	if err == nil && len(jobs) == 0 {
		err = noGroup(ctx, a.eng, f.group)
	}
	return jobs, err
}

// groupRestarts returns the function that chooses in the UI which jobs of a group are restarted: the same as here.
func groupRestarts(a *app) func(ctx context.Context, labels map[string]string) ([]engine.Job, error) {
	return func(ctx context.Context, labels map[string]string) ([]engine.Job, error) {
		return project.GroupOf(labels).Newest(ctx, a.eng)
	}
}

// restartOne restarts a job and prints the new one.
func restartOne(ctx context.Context, a *app, h *engine.Handle, o engine.RestartOptions, opts ...engine.StartOption) error {
	// Ctrl+C while the job stops must not hide that it was not started again.
	ctx, release := leaveOnSignal(ctx)
	defer release()
	job, err := h.Restart(ctx, o, opts...)
	if s, ok := errors.AsType[signalled](context.Cause(ctx)); ok && err != nil {
		stopped := explain(err)
		stopped.exit, stopped.code = 128+int(s), "interrupted"
		return stopped
	}
	if err != nil {
		return err
	}
	return a.printStarted(ctx, job)
}

// printStarted prints a job that was started in the background, and ends with
// its code if it could not be.
func (a *app) printStarted(ctx context.Context, job engine.Job) error {
	var err error
	if a.json {
		err = a.printJSON(job)
	} else {
		_, err = fmt.Fprintln(a.stdout, job.ID)
	}
	if err != nil {
		return fmt.Errorf("job %s was started, but its ID cannot be printed: %w", job.ID, err)
	}
	if job.Status != engine.Failed && job.Status != engine.Lost {
		if job.Host == "" && !a.json {
			a.reportLogout()
		}
		return nil
	}
	if !a.json {
		a.reportFailedStart(ctx, job)
	}
	return exitStatus(ownCode(job.Exit))
}

// reportFailedStart prints why a job could not be started, and what to run instead if hob knows.
func (a *app) reportFailedStart(ctx context.Context, job engine.Job) {
	defer a.markSeen(job.ID)
	a.reportf("%s %s %s", a.paintErr("hob:", styleBad), escape(job.Name), escape(job.Ending()))
	why, err := a.eng.Handle(job.ID).Explain(ctx, true)
	if err != nil {
		return // the ending has been reported
	}
	for _, e := range why.Evidence {
		if e.Kind == "command" || e.Kind == "file" {
			a.reportf("     %s", escape(e.Text))
		}
	}
}
