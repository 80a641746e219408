package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
)

func (a *app) removeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "remove ID…",
		Aliases: []string{"rm"},
		GroupID: groupEnd,
		Short:   "Kills jobs that run, then clears them",
		Long: "Ends jobs as kill does if they run, then clears them: they go from the list, and\n" +
			"their files with them. hob clear --undo brings them back.",
		Args:              words(1, -1, "a job"),
		ValidArgsFunction: a.completeJobs(engine.Filter{}, true),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.remove(cmd.Context(), args) },
	}
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) remove(ctx context.Context, refs []string) error {
	jobs, err := a.manyJobs(ctx, refs, engine.Act)
	if err != nil {
		return err
	}
	gone, err := a.eng.Remove(ctx, idsOf(jobs)...)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJobs(gone)
	}
	a.reportCleared(gone)
	return nil
}
