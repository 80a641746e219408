package cli

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/project"
	"github.com/hobjobs/hob/internal/units"
)

type reviveFlags struct {
	all, marked, dryRun bool

	group, queue, on string

	env []string
}

func (a *app) reviveCommand() *cobra.Command {
	var f reviveFlags
	cmd := &cobra.Command{
		Use:     "revive [ID…]",
		GroupID: groupRun,
		Short:   "Restart the jobs that a reboot ended",
		Long: "Restart the jobs that were running or waiting when the machine rebooted, in the order in\n" +
			"which they were requested, each as a new job. Queues, --after, names, groups, limits and\n" +
			"restart policies are kept. Without arguments, hob lists the jobs and asks; with IDs, --all,\n" +
			"--group, --queue or --marked, it does not ask. Each job is restarted only once, also if this\n" +
			"command is interrupted and repeated.\n\n" +
			"Values that were given with -e are not stored: jobs that need them are left out unless -e\n" +
			"gives them again. Jobs of a project are started as their file describes them now. A job that\n" +
			"is named by its ID may be lost for another reason than a reboot.",
		Example: "hob revive\nhob revive --all --dry-run\nhob revive --group shop\n" +
			"hob revive -e TOKEN=\"$TOKEN\" deploy\nhob revive --on web1",
		Args:              argCount(0, -1, ""),
		ValidArgsFunction: a.completeJobs(engine.Filter{Statuses: []engine.Status{engine.Lost}}, true),
		RunE:              func(cmd *cobra.Command, args []string) error { return reviver{a, f}.run(cmd.Context(), args) },
	}
	flags := cmd.Flags()
	flags.BoolVarP(&f.all, "all", "a", false, "all jobs that a reboot ended")
	flags.Var(nonEmptyFlag(&f.group, "GROUP"), "group", "only jobs of this group")
	flags.Var(nonEmptyFlag(&f.queue, "NAME"), "queue", "only jobs of this queue")
	flags.BoolVar(&f.marked, "marked", false, "only jobs started with hob run --revive")
	flags.Var(nonEmptyFlag(&f.on, "HOST"), "on", "only jobs that a reboot of HOST ended (connects to it)")
	flags.VarP(listFlag{&f.env, "NAME[=VALUE]"}, "env", "e", "value of a variable, for the jobs that had it")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print what would be started, and start nothing")
	completeFlag(cmd, "on", a.completeHosts())
	completeFlag(cmd, "queue", a.completeQueues())
	completeGroups(a, cmd)
	a.jsonFlag(cmd)
	return cmd
}

// selects reports whether flags say which jobs to start.
func (f reviveFlags) selects() bool {
	byName := f.group != "" || f.queue != ""
	return f.all || f.marked || byName
}

// selected reports whether the flags select a job that a reboot ended.
func (f reviveFlags) selected(j engine.Job) bool {
	switch {
	case f.marked && !j.Revive,
		f.group != "" && !project.Group{Name: f.group}.Has(j),
		f.queue != "" && j.Queue != f.queue:
		return false
	}
	return true
}

// A reviver carries out one hob revive.
type reviver struct {
	app   *app
	flags reviveFlags
}

func (r reviver) run(ctx context.Context, refs []string) error {
	a, f := r.app, r.flags
	if others := f.selects() || f.on != ""; others && len(refs) > 0 {
		return usagef("use two commands", "IDs cannot be combined with --all, --group, --queue, --marked or --on")
	}
	given, err := environment(f.env)
	if err != nil {
		return err
	}
	eng, err := a.engineWith(a.settings())
	if err != nil {
		return err
	}
	jobs, err := a.manyJobs(ctx, refs, engine.Read)
	if err == nil {
		err = r.connect(ctx, jobs)
	}
	if err != nil {
		return err
	}
	o := engine.ReviveOptions{
		Host:   f.on,
		Select: f.selected,
		DryRun: f.dryRun,
		Env:    given,
	}
	if len(jobs) > 0 {
		o.IDs = idsOf(jobs)
	}
	if asks := len(jobs) == 0 && !f.selects(); asks && !f.dryRun {
		return r.ask(ctx, o)
	}
	// Ctrl+C must not hide which jobs were started.
	ctx, release := leaveOnSignal(ctx)
	defer release()
	revivals, err := eng.Revive(ctx, o, engine.WithEnviron(os.Environ()))
	return errors.Join(revivalPrinter{a, f.dryRun}.print(revivals), err)
}

// connect connects to the hosts of jobs, and to the host of --on, whose jobs it finds.
func (r reviver) connect(ctx context.Context, jobs []engine.Job) error {
	a, on := r.app, r.flags.on
	for _, j := range jobs {
		if err := a.connectFor(ctx, j); err != nil {
			return err
		}
	}
	if on == "" {
		return nil
	}
	if err := a.connectTo(ctx, on); err != nil {
		return err
	}
	if err := a.eng.Adopt(ctx, on); err != nil {
		return err
	}
	_, err := a.eng.List(ctx, engine.Filter{Host: on}) // records the ends there
	return err
}

// ask lists the jobs that a reboot ended, and starts them if the user agrees.
func (r reviver) ask(ctx context.Context, o engine.ReviveOptions) error {
	a := r.app
	o.DryRun = true
	offered, err := a.eng.Revive(ctx, o)
	if err != nil {
		return err
	}
	if err := (revivalPrinter{a, true}).print(offered); err != nil {
		return err
	}
	startable := startable(offered)
	if len(startable) == 0 || a.json {
		return nil
	}
	if !isTerminal(a.stdin) || !hasScreen(a.stderr) {
		a.reportf("To start them: hob revive --all")
		return nil
	}
	yes, err := a.prompter.confirm(ctx, "hob", "Start "+units.Count(len(startable), "job")+" again?", "Start")
	if err != nil || !yes {
		return err
	}
	ctx, release := leaveOnSignal(ctx)
	defer release()
	o.DryRun, o.Select = false, func(j engine.Job) bool { return slices.Contains(startable, j.ID) }
	revivals, err := a.eng.Revive(ctx, o, engine.WithEnviron(os.Environ()))
	return errors.Join(revivalPrinter{a, false}.print(revivals), err)
}
