package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

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
		Short:   "Start jobs again that a reboot ended",
		Long: "Start jobs again that ran or waited when the machine was restarted, in the order in which\n" +
			"they were requested, each as a new job. Without arguments, hob lists them and asks. Queues,\n" +
			"--after, names, groups, limits and the restart policy are kept. Each job is started only\n" +
			"once, also if this command is interrupted and repeated.\n\n" +
			"Values that were given with -e are not stored: jobs that need them are left out unless -e\n" +
			"gives them again. Jobs of a project read their file again. With an ID, the job may also be\n" +
			"lost for another reason than a reboot.",
		Example: "hob revive\nhob revive --all --dry-run\nhob revive --group shop\n" +
			"hob revive -e TOKEN=\"$TOKEN\" deploy\nhob revive --on web1",
		Args:              argCount(0, -1, ""),
		ValidArgsFunction: a.completeJobs(engine.Filter{Statuses: []engine.Status{engine.Lost}}, true),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.revive(cmd.Context(), args, f) },
	}
	flags := cmd.Flags()
	flags.BoolVarP(&f.all, "all", "a", false, "all jobs that the reboot ended, without a question")
	flags.Var(nonEmptyFlag(&f.group, "GROUP"), "group", "those of this group")
	flags.Var(nonEmptyFlag(&f.queue, "NAME"), "queue", "those of this queue")
	flags.BoolVar(&f.marked, "marked", false, "those started with hob run --revive")
	flags.Var(nonEmptyFlag(&f.on, "HOST"), "on", "jobs that a reboot of HOST ended (connects to it)")
	flags.VarP(listFlag{&f.env, "NAME[=VALUE]"}, "env", "e", "value of a variable, for the jobs that had it")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print what would be started, and start nothing")
	completeFlag(cmd, "on", a.completeHosts())
	completeFlag(cmd, "queue", a.completeQueues())
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

func (a *app) revive(ctx context.Context, refs []string, f reviveFlags) error {
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
		err = a.connectToRevive(ctx, jobs, f.on)
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
		return a.askToRevive(ctx, o)
	}
	// Ctrl+C must not hide which jobs were started.
	ctx, release := leaveOnSignal(ctx)
	defer release()
	revivals, err := eng.Revive(ctx, o, engine.WithEnviron(os.Environ()))
	return errors.Join(a.printRevivals(revivals, f.dryRun), err)
}

// connectToRevive connects to the hosts of jobs, and to the host of --on, whose jobs it finds.
func (a *app) connectToRevive(ctx context.Context, jobs []engine.Job, on string) error {
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

// askToRevive lists the jobs that a reboot ended, and starts them if the user agrees.
func (a *app) askToRevive(ctx context.Context, o engine.ReviveOptions) error {
	o.DryRun = true
	offered, err := a.eng.Revive(ctx, o)
	if err != nil {
		return err
	}
	if err := a.printRevivals(offered, true); err != nil {
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
	return errors.Join(a.printRevivals(revivals, false), err)
}

// startable returns the lost jobs that can be started.
func startable(revivals []engine.Revival) (ids []engine.ID) {
	for _, r := range revivals {
		if r.Err == nil {
			ids = append(ids, r.Lost.ID)
		}
	}
	return ids
}

type revivalJSON struct {
	Lost    engine.Job  `json:"lost"`
	Job     *engine.Job `json:"job"`
	Missing []string    `json:"missing_env"`
	Error   *string     `json:"error"`
}

// printRevivals prints what was started, or would be: a table of the lost jobs, or the ids of the new ones. Jobs that
// were not started are reported with the reason.
func (a *app) printRevivals(revivals []engine.Revival, dryRun bool) error {
	if a.json {
		return a.reviveJSON(revivals, dryRun)
	}
	if len(revivals) == 0 {
		a.reportf("No job to start: a reboot has ended none, or they were started again")
		return nil
	}
	if dryRun {
		return a.reviveTable(revivals)
	}
	var failed error
	for _, r := range revivals {
		if r.Err != nil {
			failed = exitStatus(exitFailed)
			a.reportNotRevived(r)
			continue
		}
		if _, err := fmt.Fprintln(a.stdout, r.Started.ID); err != nil {
			return err
		}
		if r.Started.Status == engine.Failed {
			failed = exitStatus(exitFailed)
			a.reportf("%s %s %s", a.paintErr("hob:", styleBad), escape(r.Started.Name), escape(r.Started.Ending()))
		}
	}
	if len(startable(revivals)) > 0 {
		a.reportLogout()
	}
	return failed
}

func (a *app) reportNotRevived(r engine.Revival) {
	f := explain(r.Err)
	a.reportf("%s %s", a.paintErr("hob:", styleBad), escape(f.Error()))
	if f.hint != "" {
		a.reportf("     %s", escape(f.hint))
	}
}

func (a *app) reviveJSON(revivals []engine.Revival, dryRun bool) error {
	list := make([]revivalJSON, len(revivals))
	failed := false
	for i, r := range revivals {
		list[i] = revivalJSON{Lost: r.Lost, Job: r.Started, Missing: missingOf(r)}
		if r.Err != nil {
			text := r.Err.Error()
			list[i].Error, failed = &text, true
		}
	}
	if err := a.printJSON(list); err != nil {
		return err
	}
	if failed && !dryRun {
		return exitStatus(exitFailed)
	}
	return nil
}

// missingOf returns the variables without which a job is not started.
func missingOf(r engine.Revival) []string {
	if missing, ok := errors.AsType[*engine.MissingEnvError](r.Err); ok {
		return missing.Names
	}
	return []string{}
}

// reviveTable lists lost jobs, and why some of them are left out.
func (a *app) reviveTable(revivals []engine.Revival) error {
	t := newTable("ID", "NAME", "COMMAND", "DIR", "QUEUE", "AFTER", "LEFT OUT")
	for _, r := range revivals {
		left := cell{style: styleWarn}
		if r.Err != nil {
			left.text = escape(reasonOf(r))
		}
		t.add(
			cell{text: string(r.Lost.ID)},
			cell{text: escape(r.Lost.Name)},
			cell{text: escape(r.Lost.CommandLine()), cutEnd: true},
			cell{text: escape(r.Lost.Dir)},
			cell{text: escape(r.Lost.Queue)},
			cell{text: afterText(r.Lost)},
			left,
		)
	}
	for _, name := range []string{"QUEUE", "AFTER", "LEFT OUT"} {
		if t.isEmpty(name) {
			t.hide(name)
		}
	}
	return printLines(a, t.lines(0, a.colored(a.stdout)))
}

// reasonOf returns why a job is left out, without its id.
func reasonOf(r engine.Revival) string {
	if names := missingOf(r); len(names) > 0 {
		return "needs -e " + strings.Join(names, ", -e ")
	}
	if e, ok := errors.AsType[*engine.Error](r.Err); ok {
		return e.Err.Error()
	}
	return r.Err.Error()
}

// afterText names the jobs for which a job waited.
func afterText(j engine.Job) string {
	var names []string
	for _, id := range slices.Concat(j.After, j.AfterAny) {
		names = append(names, string(id))
	}
	return strings.Join(names, " ")
}
