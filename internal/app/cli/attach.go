package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
)

func (a *app) attachCommand() *cobra.Command {
	var raw bool
	cmd := &cobra.Command{
		Use:     "attach ID",
		GroupID: groupJobs,
		Short:   "Shows a job that runs, in the full window",
		Long: "Shows a job that runs in the full window, to watch and talk to; Ctrl+B leaves it.\n" +
			"Ends with the job's code if it ends meanwhile. Without ID, on a terminal, you choose.",
		Args:              words(0, 1, "a job"),
		ValidArgsFunction: a.completeJobs(engine.Filter{Running: true}, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.attach(cmd.Context(), args, raw)
		},
	}
	cmd.Flags().BoolVar(&raw, "raw", false, "pass the terminal through without UI")
	return cmd
}

func (a *app) attach(ctx context.Context, args []string, raw bool) error {
	a.shows = hasScreen(a.stdout)
	if _, err := a.engineWith(a.settings()); err != nil {
		return err
	}
	job, err := a.oneJob(ctx, args, engine.Act, engine.Filter{Running: true}, "Attach to which job?")
	if err != nil {
		return err
	}
	if job.Status.Finished() {
		return &failure{
			exit: exitState, code: "not_running", err: fmt.Errorf("%s has ended: %s", job.ID, job.Ending()),
			hint: fmt.Sprintf("hob log %s shows its output, hob restart %s runs it again", job.ID, job.ID),
		}
	}
	return a.attachTo(ctx, job, raw, 0)
}
