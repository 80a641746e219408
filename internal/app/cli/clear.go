package cli

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
)

type clearFlags struct {
	finished, failed, undo, forget, now bool
	older                               time.Duration
	on                                  string
}

func (a *app) clearCommand() *cobra.Command {
	f := clearFlags{older: notGiven}
	cmd := &cobra.Command{
		Use:     "clear [ID…]",
		GroupID: groupEnd,
		Short:   "Forgets finished jobs and removes their files",
		Long: "Forgets finished jobs and removes their files, which can be undone for an hour, or\n" +
			"until the disk is full. --now deletes them at once; alone, what was cleared before. Of\n" +
			"jobs on a host or in a container that is gone for good, --forget removes what is\n" +
			"recorded here.",
		Example:           "hob clear make-test\nhob clear --finished --older 2d\nhob clear --finished --on web1\nhob clear --undo\nhob clear --now --finished",
		ValidArgsFunction: a.completeJobs(engine.Filter{Finished: true}, true),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.clear(cmd.Context(), args, f) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.finished, "finished", false, "all jobs that have ended")
	flags.BoolVar(&f.failed, "failed", false, "those that failed")
	flags.Var(durationFlag(&f.older), "older", "those that ended longer ago than that")
	flags.Var(wordFlag(&f.on), "on", "of those only the ones on this host, which is asked what has ended")
	flags.BoolVar(&f.undo, "undo", false, "bring back what was cleared: the last clear, or these ids")
	flags.BoolVar(&f.now, "now", false, "delete at once, which cannot be undone; alone: what was cleared before")
	flags.BoolVar(&f.forget, "forget", false, "only the records here of jobs on hosts or in containers, which are not asked")
	a.completeHosts(cmd, "on")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) clear(ctx context.Context, refs []string, f clearFlags) error {
	selects := f.finished || f.failed || f.older != notGiven
	switch {
	case f.on != "" && !selects:
		return usagef("hob clear --finished --on HOST", "--on goes with --finished, --failed or --older")
	case f.now && f.undo:
		return usagef("leave one away", "--now deletes for good and --undo brings back")
	case f.forget && (f.undo || f.now || selects || len(refs) == 0):
		return usagef("hob clear --forget ID…", "--forget takes ids and no other flags")
	case f.undo && selects:
		return usagef("hob clear --undo [ID…]", "--undo takes ids or nothing")
	case !f.undo && selects && len(refs) > 0:
		return usagef("use two commands", "ids go with neither --finished, --failed nor --older")
	case !f.undo && !f.now && !selects && len(refs) == 0:
		return usagef("hob clear ID… or hob clear --finished", "clear what?")
	}
	if _, err := a.engine(); err != nil {
		return err
	}
	switch {
	case f.undo:
		return a.undo(ctx, refs)
	case f.forget:
		return a.forget(ctx, refs)
	}
	act := a.eng.Clear
	if f.now {
		act = a.eng.Discard
	}
	var jobs []engine.Job
	var err error
	switch {
	case selects:
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
	switch {
	case a.json:
		return a.printJobs(jobs)
	case f.now:
		a.reportDeleted(jobs)
	default:
		a.reportCleared(jobs)
	}
	return nil
}

// clearSelected clears the finished jobs that the flags select, of which there may
// be none, without those that another program clears at the same time.
func (a *app) clearSelected(
	ctx context.Context, f clearFlags, act func(context.Context, ...engine.ID) ([]engine.Job, error),
) ([]engine.Job, error) {
	for last := []engine.ID(nil); ; {
		jobs, err := a.clearable(ctx, f)
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

// clearable are the finished jobs that the flags select.
func (a *app) clearable(ctx context.Context, f clearFlags) ([]engine.Job, error) {
	if f.on != "" {
		a.tryHosts(ctx, f.on)
	}
	all, err := a.eng.List(ctx, engine.Filter{Finished: !f.failed, Failed: f.failed, Host: f.on})
	if err != nil {
		return nil, err
	}
	now := time.Now()
	var jobs []engine.Job
	for _, j := range all {
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

func (a *app) reportCleared(jobs []engine.Job) {
	switch len(jobs) {
	case 0:
		a.reportf("nothing to clear")
	case 1:
		a.reportf("cleared %s; hob clear --undo brings it back", jobs[0].ID)
	default:
		a.reportf("cleared %d jobs; hob clear --undo brings them back", len(jobs))
	}
	if len(jobs) > 0 && jobdir.Full(a.eng.StateDir()) {
		a.reportf("the disk is full: hob clear --now deletes what was cleared, which makes room")
	}
	for _, j := range jobs {
		a.reportSurvivors(j.Exit.Survivors)
	}
}

func (a *app) reportDeleted(jobs []engine.Job) {
	switch len(jobs) {
	case 0:
		a.reportf("nothing to clear")
	case 1:
		a.reportf("deleted %s", jobs[0].ID)
	default:
		a.reportf("deleted %d jobs", len(jobs))
	}
	for _, j := range jobs {
		a.reportSurvivors(j.Exit.Survivors)
	}
}

// forget clears what is recorded here of jobs on hosts, which are not asked.
func (a *app) forget(ctx context.Context, refs []string) error {
	var ids []engine.ID
	for _, ref := range refs {
		job, err := a.eng.Resolve(ctx, ref, engine.Act)
		if err != nil {
			return err
		}
		ids = append(ids, job.ID)
	}
	jobs, err := a.eng.Forget(ctx, ids...)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJobs(jobs)
	}
	for _, j := range jobs {
		stays := ""
		if j.Host != "" {
			stays = "; its files stay on " + escape(j.Host)
		}
		if !j.Status.Finished() {
			stays += ", and it may still run"
		}
		a.reportf("forgot %s%s; hob clear --undo brings the record back", j.ID, stays)
	}
	return nil
}

func (a *app) undo(ctx context.Context, refs []string) error {
	ids := make([]engine.ID, len(refs))
	for i, r := range refs {
		ids[i] = engine.ID(r)
	}
	jobs, err := a.eng.Undo(ctx, ids...)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJobs(jobs)
	}
	for _, j := range jobs {
		a.reportf("%s is back", j.ID)
	}
	if len(jobs) == 0 {
		a.reportf("nothing was cleared that could be brought back")
	}
	return nil
}
