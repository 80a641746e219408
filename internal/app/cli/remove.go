package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
)

func (a *app) removeCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "remove ID… | --dir DIR",
		Aliases: []string{"rm"},
		GroupID: groupStop,
		Short:   "Stop jobs and clear them",
		Long: "Stop running jobs as hob kill does, then clear all: remove them from the list and\n" +
			"delete their files. To undo: hob clear --undo. --dir removes all jobs that were started\n" +
			"in a directory; the directory of a job on a host is the one there.",
		Example: "hob remove web worker\nhob remove --dir ~/src/shop",
		Args: func(cmd *cobra.Command, args []string) error {
			if dir != "" {
				return nil
			}
			return argCount(1, -1, "job ID")(cmd, args)
		},
		ValidArgsFunction: a.completeJobs(engine.Filter{}, true),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.remove(cmd.Context(), args, dir) },
	}
	dirFlag(cmd, &dir, "all jobs started in DIR or below")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) remove(ctx context.Context, refs []string, dir string) error {
	jobs, err := a.toRemove(ctx, refs, dir)
	if err != nil {
		return err
	}
	gone, err := a.eng.Remove(ctx, idsOf(jobs)...)
	switch {
	case a.json && err == nil:
		return a.printJobs(gone)
	case !a.json && (err == nil || len(gone) > 0):
		a.reportRemoved(jobs, gone)
	}
	return err
}

// reportRemoved reports the jobs that were removed; before are the jobs as they were. Undoing it
// does not start the stopped ones again.
func (a *app) reportRemoved(before, gone []engine.Job) {
	stopped := 0
	for _, j := range before {
		if !j.Status.Finished() && slices.ContainsFunc(gone, func(g engine.Job) bool { return g.ID == j.ID }) {
			stopped++
		}
	}
	switch {
	case stopped == 0:
		a.reportCleared(gone, false)
	case len(gone) == 1:
		a.reportf("Stopped and cleared %s. Undo restores its record: hob clear --undo", gone[0].ID)
	case stopped == len(gone):
		a.reportf("Stopped and cleared %d jobs. Undo restores their records: hob clear --undo", stopped)
	default:
		a.reportf("Cleared %d jobs, after stopping %d. Undo restores their records: hob clear --undo", len(gone), stopped)
	}
}

// toRemove returns the jobs that the arguments refer to.
func (a *app) toRemove(ctx context.Context, refs []string, dir string) ([]engine.Job, error) {
	switch {
	case dir != "" && len(refs) > 0:
		return nil, dirWithIDs()
	case dir != "":
		return a.jobsInDir(ctx, dir, engine.Filter{})
	}
	return a.manyJobs(ctx, refs, engine.Act)
}
