package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
)

func (a *app) restartCommand() *cobra.Command {
	var env []string
	cmd := &cobra.Command{
		Use:     "restart ID",
		GroupID: groupTalk,
		Short:   "Starts the same request again as a new job, and prints its id",
		Long: "Starts the same command in the same directory again, with the environment of now.\n" +
			"Variables that were given with -e must be given again or be set here.",
		Args:              words(1, 1, "a job"),
		ValidArgsFunction: a.completeJobs(engine.Filter{}, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.restart(cmd.Context(), args[0], env)
		},
	}
	cmd.Flags().StringArrayVarP(&env, "env", "e", nil, "set NAME=VALUE, or pass NAME on as it is here")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) restart(ctx context.Context, ref string, pairs []string) error {
	given, err := environment(pairs)
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
	job, err := eng.Restart(ctx, old.ID, engine.WithEnviron(environ))
	if err != nil {
		return err
	}
	return a.printStarted(job)
}

// printStarted prints a job that was started in the background, and ends with
// its code if it could not be.
func (a *app) printStarted(job engine.Job) error {
	var err error
	if a.json {
		err = a.printJob(job)
	} else {
		_, err = fmt.Fprintln(a.stdout, job.ID)
	}
	if err != nil {
		return fmt.Errorf("there is a job %s now, but that cannot be printed: %w", job.ID, err)
	}
	if job.Status != engine.Failed && job.Status != engine.Lost {
		if job.Host == "" && !a.json {
			a.reportLogout()
		}
		return nil
	}
	if !a.json {
		a.reportFailedStart(job)
	}
	return exitStatus(ownCode(job.Exit))
}

// reportFailedStart prints why a job could not be started.
func (a *app) reportFailedStart(job engine.Job) {
	a.reportf("%s %s", a.paintErr("hob:", styleBad), escape(job.Ending()))
	if code := job.Exit.Code; code != nil && *code == 127 && len(job.Command) == 1 && strings.ContainsAny(job.Command[0], " ;|&<>$") {
		a.reportf("     a line for the shell goes behind -c: hob run -c %s", quoteWord(job.Command[0]))
	}
}
