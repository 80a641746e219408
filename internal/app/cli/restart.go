package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
)

type restartFlags struct {
	env  []string
	keep bool
}

func (a *app) restartCommand() *cobra.Command {
	var f restartFlags
	cmd := &cobra.Command{
		Use:     "restart ID",
		GroupID: groupRun,
		Short:   "Run a job's command again, stopping it first if it runs",
		Long: "Run a job's command again in the same directory, as a new job, and print its ID.\n" +
			"A running job is stopped first, as by hob kill; --keep leaves it running. The job gets the\n" +
			"current environment; set variables that were passed with -e again.",
		Example:           "hob restart web\nhob restart --keep worker\nhob restart -e TOKEN=\"$TOKEN\" deploy",
		Args:              argCount(1, 1, "job ID"),
		ValidArgsFunction: a.completeJobs(engine.Filter{}, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.restart(cmd.Context(), args[0], f)
		},
	}
	cmd.Flags().VarP(listFlag{&f.env, "NAME[=VALUE]"}, "env", "e", "set a variable (NAME=VALUE), or pass NAME through")
	cmd.Flags().BoolVar(&f.keep, "keep", false, "leave a running job running")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) restart(ctx context.Context, ref string, f restartFlags) error {
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
	old, err := a.resolve(ctx, ref, engine.Read)
	if err != nil {
		return err
	}
	if err := a.connectTo(ctx, old.Host); err != nil {
		return err
	}
	// Ctrl+C while the job stops must not hide that it was not started again.
	ctx, release := leaveOnSignal(ctx)
	defer release()
	job, err := eng.Handle(old.ID).Restart(ctx, engine.RestartOptions{Keep: f.keep}, engine.WithEnviron(environ))
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
