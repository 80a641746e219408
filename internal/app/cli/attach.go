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
		Use:     "attach [ID]",
		GroupID: groupRun,
		Short:   "Attach to a running job",
		Long: "Show a running job in the full window and type into it; Ctrl+B detaches. Exits with\n" +
			"the job's exit code if the job ends. Without ID, choose one from a list.",
		Args:              argCount(0, 1, "job ID"),
		ValidArgsFunction: a.completeJobs(engine.Filter{Running: true}, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.attach(cmd.Context(), args, raw)
		},
	}
	cmd.Flags().BoolVar(&raw, "raw", false, "no UI: connect the terminal directly")
	return cmd
}

func (a *app) attach(ctx context.Context, args []string, raw bool) error {
	a.onScreen = hasScreen(a.stdout)
	if _, err := a.engineWith(a.settings()); err != nil {
		return err
	}
	job, err := a.oneJob(ctx, args, engine.Act, engine.Filter{Running: true}, "Attach to which job?")
	if err != nil {
		return err
	}
	if job.Status.Finished() {
		return &failure{
			exit: exitState, code: "not_running", err: fmt.Errorf("%s has already ended: %s", job.ID, job.Ending()),
			hint: fmt.Sprintf("Its output: hob log %s · Run it again: hob restart %[1]s", job.ID),
		}
	}
	return a.attachTo(ctx, job, raw, 0)
}
