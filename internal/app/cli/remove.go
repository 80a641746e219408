package cli

import (
	"context"
	"errors"
	"sync"

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
	errs := make([]error, len(jobs), len(jobs)+1)
	var work sync.WaitGroup
	for i, j := range jobs {
		if j.Status.Finished() && (j.Status != engine.Lost || len(j.Exit.Survivors) == 0) {
			continue
		}
		work.Go(func() {
			if _, err := a.eng.Stop(ctx, j.ID, engine.StopOptions{}); !errors.Is(err, engine.ErrNotRunning) {
				errs[i] = err
			}
		})
	}
	work.Wait()
	var over []engine.ID
	for i, j := range jobs {
		if errs[i] == nil {
			over = append(over, j.ID)
		}
	}
	gone, err := a.eng.Clear(ctx, over...) // together, so that one undo brings all back
	if err := errors.Join(append(errs, err)...); err != nil {
		return err
	}
	if a.json {
		return a.printJobs(gone)
	}
	a.reportCleared(gone)
	return nil
}
