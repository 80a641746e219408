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
	eng, err := a.engine()
	if err != nil {
		return err
	}
	jobs, err := a.manyJobs(ctx, refs, engine.Act)
	if err != nil {
		return err
	}
	removed := make([]engine.Job, len(jobs))
	errs := make([]error, len(jobs))
	var work sync.WaitGroup
	for i, j := range jobs {
		work.Go(func() { removed[i], errs[i] = eng.Remove(ctx, j.ID) })
	}
	work.Wait()
	var gone []engine.Job
	for i := range jobs {
		if errs[i] == nil {
			gone = append(gone, removed[i])
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if a.json {
		return a.printJobs(gone)
	}
	a.sayCleared(gone)
	return nil
}
