package cli

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/within"
	"github.com/hobjobs/hob/internal/diskspace"
)

type clearFlags struct {
	finished, failed, undo, forget, now bool
	older                               time.Duration
	on, dir                             string
}

func (a *app) clearCommand() *cobra.Command {
	f := clearFlags{older: notGiven}
	cmd := &cobra.Command{
		Use:     "clear [ID…]",
		GroupID: groupStop,
		Short:   "Remove finished jobs and their files",
		Long: "Remove finished jobs and their files. Jobs that left processes running are kept until\n" +
			"hob kill has ended these. --undo restores jobs for an hour, or until the disk is full.\n" +
			"--now deletes them at once; without IDs and other flags it deletes the jobs cleared\n" +
			"before. If a host or container is gone for good, --forget removes the local record of\n" +
			"a job there.",
		Example:           "hob clear make-test\nhob clear --finished --older 2d\nhob clear --finished --on web1\nhob clear --dir ~/src/shop\nhob clear --undo\nhob clear --now --finished",
		ValidArgsFunction: a.completeJobs(engine.Filter{Finished: true}, true),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.clear(cmd.Context(), args, f) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.finished, "finished", false, "all jobs that have ended")
	flags.BoolVar(&f.failed, "failed", false, "all jobs that failed")
	flags.Var(durationFlag(&f.older), "older", "only jobs that ended more than DUR ago")
	flags.Var(nonEmptyFlag(&f.on, "HOST"), "on", "only jobs on HOST (connects to it)")
	dirFlag(cmd, &f.dir, "only jobs started in DIR or below")
	flags.BoolVar(&f.undo, "undo", false, "undo the last clear, or restore these IDs")
	flags.BoolVar(&f.now, "now", false, "delete at once; cannot be undone")
	flags.BoolVar(&f.forget, "forget", false, "drop only the local record; do not contact the host or container")
	completeFlag(cmd, "on", a.completeHosts())
	a.jsonFlag(cmd)
	return cmd
}

// selects reports whether flags say which jobs to clear.
func (f clearFlags) selects() bool {
	byEnd := f.finished || f.failed || f.older != notGiven
	return byEnd || f.dir != ""
}

// check rejects flags that contradict each other, and a call that does not select anything to clear.
func (f clearFlags) check(refs []string) error {
	selects := f.selects()
	switch {
	case f.undo:
		return f.checkUndo()
	case f.forget:
		return f.checkForget(refs)
	case f.on != "" && !selects:
		return onRequires()
	case selects && len(refs) > 0:
		return usagef("use two commands", "IDs cannot be combined with --finished, --failed, --older or --dir")
	case selects, f.now, len(refs) > 0:
		return nil
	}
	return usagef("use hob clear ID… or hob clear --finished", "missing job ID")
}

func onRequires() error {
	return usagef("use hob clear --finished --on HOST", "--on requires --finished, --failed, --older or --dir")
}

func (f clearFlags) checkUndo() error {
	switch {
	case f.now:
		return usagef("use one of them", "--now cannot be combined with --undo")
	case f.forget:
		return forgetAlone()
	case f.selects():
		return usagef("use hob clear --undo [ID…]", "--undo cannot be combined with --finished, --failed, --older or --dir")
	case f.on != "":
		return onRequires()
	}
	return nil
}

func (f clearFlags) checkForget(refs []string) error {
	if others := f.selects() || f.now; others || len(refs) == 0 {
		return forgetAlone()
	}
	if f.on != "" {
		return onRequires()
	}
	return nil
}

func forgetAlone() error {
	return usagef("use hob clear --forget ID…", "--forget requires IDs and cannot be combined with other flags")
}

func (a *app) clear(ctx context.Context, refs []string, f clearFlags) error {
	if err := f.check(refs); err != nil {
		return err
	}
	switch {
	case f.undo:
		return a.undo(ctx, refs)
	case f.forget:
		return a.forget(ctx, refs)
	}
	act := func(ctx context.Context, ids ...engine.ID) ([]engine.Job, error) {
		return a.eng.Remove(ctx, engine.RemoveOptions{Forever: f.now}, ids...)
	}
	var jobs []engine.Job
	var unreachable, err error
	switch {
	case f.selects():
		if f.on != "" {
			unreachable = a.tryHost(ctx, f.on)
		}
		jobs, err = a.clearSelected(ctx, f, act)
	case len(refs) == 0:
		jobs, err = a.eng.EmptyTrash(ctx)
	default:
		if jobs, err = a.manyJobs(ctx, refs, engine.Act); err == nil {
			jobs, err = act(ctx, idsOf(jobs)...)
		}
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.knownOnly(unreachable, a.printJobs(jobs))
	}
	a.reportCleared(jobs, f.now)
	return a.knownOnly(unreachable, nil)
}

// clearSelected clears the finished jobs that the flags select, if any. It skips jobs that have left
// processes, and those that another program clears at the same time.
func (a *app) clearSelected(
	ctx context.Context, f clearFlags, act func(context.Context, ...engine.ID) ([]engine.Job, error),
) ([]engine.Job, error) {
	for last := []engine.ID(nil); ; {
		jobs, err := a.clearable(ctx, f)
		jobs = slices.DeleteFunc(jobs, func(j engine.Job) bool {
			if j.LeftRunning() && last == nil {
				a.reportf("%s is kept, because processes that it left still run; end them: hob kill %[1]s", j.ID)
				a.reportSurvivors(j.Exit.Survivors)
			}
			return j.LeftRunning()
		})
		if err != nil || len(jobs) == 0 {
			return nil, err
		}
		ids := idsOf(jobs)
		jobs, err = act(ctx, ids...)
		if !errors.Is(err, engine.ErrNotFound) || slices.Equal(ids, last) {
			return jobs, err
		}
		last = ids
	}
}

func (a *app) clearable(ctx context.Context, f clearFlags) ([]engine.Job, error) {
	all, err := a.eng.List(ctx, engine.Filter{
		Finished: !f.failed,
		Failed:   f.failed,
		Host:     f.on,
	})
	if err != nil {
		return nil, err
	}
	now := time.Now()
	var jobs []engine.Job
	for _, j := range within.Dir(all, f.dir) {
		age := j.EndedAgo(now)
		if j.Exit.At.IsZero() {
			age = now.Sub(j.CreatedAt)
		}
		if f.older == notGiven || age > f.older {
			jobs = append(jobs, j)
		}
	}
	return jobs, nil
}

// reportCleared reports the jobs that were cleared; deleted means for good.
func (a *app) reportCleared(jobs []engine.Job, deleted bool) {
	did, undo := "Cleared", ". Undo: hob clear --undo"
	if deleted {
		did, undo = "Deleted", ""
	}
	switch len(jobs) {
	case 0:
		a.reportf("Nothing to clear")
	case 1:
		a.reportf("%s %s%s", did, jobs[0].ID, undo)
	default:
		a.reportf("%s %d jobs%s", did, len(jobs), undo)
	}
	if len(jobs) > 0 && !deleted && diskspace.Full(a.eng.StateDir()) {
		a.reportf("The disk is full. To free space, delete the cleared jobs: hob clear --now")
	}
	for _, j := range jobs {
		a.reportSurvivors(j.Exit.Survivors)
	}
}

// forget clears the local records of jobs on hosts without contacting the hosts.
func (a *app) forget(ctx context.Context, refs []string) error {
	var ids []engine.ID
	for _, ref := range refs {
		job, err := a.eng.Find(ctx, ref, engine.Act)
		if err != nil {
			return a.refError(ctx, ref, err)
		}
		ids = append(ids, job.ID)
	}
	jobs, err := a.eng.Remove(ctx, engine.RemoveOptions{Forget: true}, ids...)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJobs(jobs)
	}
	for _, j := range jobs {
		stays := ""
		if j.Host != "" {
			stays = ", its files stay on " + escape(j.Host)
		}
		if !j.Status.Finished() {
			stays += ", and it may still run"
		}
		a.reportf("Dropped the record of %s%s. Undo: hob clear --undo", j.ID, stays)
	}
	return nil
}

func (a *app) undo(ctx context.Context, refs []string) error {
	ids := make([]engine.ID, len(refs))
	for i, r := range refs {
		ids[i] = engine.ID(r)
	}
	jobs, err := a.eng.Undo(ctx, ids...)
	if len(refs) == 0 && errors.Is(err, engine.ErrNotFound) {
		return &failure{
			exit: exitNoJob,
			code: "not_found",
			err:  errors.New("no cleared job is left to restore"),
			hint: "hob keeps cleared jobs for an hour",
		}
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.printJobs(jobs)
	}
	for _, j := range jobs {
		a.reportf("Restored %s", j.ID)
	}
	if len(jobs) == 0 {
		a.reportf("Nothing to undo")
	}
	return nil
}

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
	gone, err := a.eng.Remove(ctx, engine.RemoveOptions{Stop: true}, idsOf(jobs)...)
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

func (a *app) toRemove(ctx context.Context, refs []string, dir string) ([]engine.Job, error) {
	switch {
	case dir != "" && len(refs) > 0:
		return nil, dirWithIDs()
	case dir != "":
		return a.jobsInDir(ctx, dir, engine.Filter{})
	}
	return a.manyJobs(ctx, refs, engine.Act)
}
