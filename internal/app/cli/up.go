package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/project"
	"github.com/hobjobs/hob/ui"
	"github.com/hobjobs/hob/ui/program"
)

type upFlags struct {
	source            project.Source
	group, formation  string
	background, check bool
	keep, restartAll  bool
	prune, wait       bool
	timeout           time.Duration
	output            logFlags // of the stream
}

func (a *app) upCommand() *cobra.Command {
	var f upFlags
	cmd := &cobra.Command{
		Use:     "up [NAME[=N]…]",
		GroupID: groupRun,
		Short:   "Start the processes of a project as background jobs",
		Long: "Start the processes of a project as background jobs, and open the job list with these jobs only.\n" +
			"In a pipe, print the output of all processes until they have ended.\n" +
			"hob reads the first of Procfile, process-compose.yaml, mprocs.yaml and .vscode/tasks.json in the\n" +
			"current directory. With a NAME, start this process and those that it depends on; NAME=N starts N\n" +
			"copies of it.\n\n" +
			"A process that runs already is left alone, unless the file describes it differently now: then it\n" +
			"is restarted. --check prints what would be done, and the lines of the file that are not understood.\n\n" +
			"With --wait, the exit code is the first one of a process that is not 0, in the order of the file.\n" +
			"If a process ends for which the file has exit_on_failure or exit_on_end, the others are stopped,\n" +
			"and its exit code is that of hob.",
		Example:           "hob up\nhob up --check\nhob up -b web worker=3\nhob up --wait\nhob up -f Procfile.dev --env-file .env.test",
		ValidArgsFunction: f.completeProcesses,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.up(cmd.Context(), args, f) },
	}
	flags := cmd.Flags()
	flags.VarP(listFlag{&f.source.Files, "FILE"}, "file", "f", "read this file; repeatable, to merge files of process-compose")
	flags.Var(listFlag{&f.source.EnvFiles, "FILE"}, "env-file", "read variables from this file instead of .env; repeatable")
	flags.Var(nonEmptyFlag(&f.formation, "NAME=N,…"), "formation", "number of copies of each process, as in foreman")
	flags.Var(parseInto(&f.source.Restart, "WHEN", parseRestart), "restart", "restart policy if the file has none: "+engine.RestartPolicies)
	completeValues(cmd, "restart", "on-failure", "always")
	flags.Var(nonEmptyFlag(&f.group, "GROUP"), "group", "name of the group (default: the name of the directory)")
	flags.BoolVarP(&f.background, "background", "b", false, "do not open the job list")
	flags.BoolVar(&f.check, "check", false, "print what would be done, and do nothing")
	flags.BoolVar(&f.keep, "keep", false, "do not restart processes that the file describes differently now")
	flags.BoolVar(&f.restartAll, "restart-all", false, "restart all processes, also those that have not changed")
	flags.BoolVar(&f.prune, "prune", false, "stop processes that the file no longer has")
	flags.BoolVar(&f.wait, "wait", false, "wait until all have ended, and print their output; for CI")
	flags.BoolVar(&f.output.time, "time", false, "in a pipe: print when each line was written")
	flags.BoolVar(&f.output.noPrefix, "no-prefix", false, "in a pipe: omit the names")
	flags.Var(durationFlag(&f.timeout), "timeout", "longest wait for each process that others depend on (default 10m)")
	a.jsonFlag(cmd)
	return cmd
}

// plan reads the file of a project and chooses the processes to start.
func (f upFlags) plan(names []string) (plan *project.Plan, chosen []project.Process, err error) {
	if slices.Contains(slices.Concat(f.source.Files, f.source.EnvFiles), "") {
		return nil, nil, usagef("give the path of a file", "--file and --env-file cannot be empty")
	}
	if plan, err = f.source.Load(os.LookupEnv); err != nil {
		return nil, nil, err
	}
	if names, err = f.scale(plan, names); err != nil {
		return nil, nil, err
	}
	chosen, err = plan.Select(names)
	return plan, chosen, err
}

func (f upFlags) groupOf(plan *project.Plan) project.Group {
	return project.Group{Name: cmp.Or(f.group, filepath.Base(project.Canonical(plan.Dir))), Dir: project.Canonical(plan.Dir)}
}

// up returns what starts the processes of a plan. Its functions and what its jobs have in common are missing.
func (f upFlags) up(eng *engine.Engine, plan *project.Plan) project.Up {
	return project.Up{
		Engine:     eng,
		Group:      f.groupOf(plan),
		Source:     f.source,
		Known:      plan.Processes,
		Keep:       f.keep,
		RestartAll: f.restartAll,
		Prune:      f.prune,
		Timeout:    f.timeout,
	}
}

// projectError returns an error of a project's file as a usage error.
func projectError(err error) error {
	mistake, wrong := errors.AsType[*project.Error](err)
	_, unreadable := errors.AsType[*fs.PathError](err)
	switch {
	case wrong:
		return usagef("", "%w", mistake)
	case unreadable:
		return usagef("name another file: hob up -f FILE", "%w", err)
	case errors.Is(err, project.ErrNoFile):
		return usagef("name another file: hob up -f FILE", "%w", err)
	case errors.Is(err, project.ErrUnknownName):
		return usagef("See: hob up --check", "%w", err)
	}
	return err
}

func (a *app) up(ctx context.Context, names []string, f upFlags) error {
	if f.keep && f.restartAll {
		return usagef("use one of them", "--keep cannot be combined with --restart-all")
	}
	if err := f.answer(ctx, a, names); err != nil {
		return projectError(err)
	}
	plan, chosen, err := f.plan(names)
	if err != nil {
		return projectError(err)
	}
	group := f.groupOf(plan)
	if f.check {
		return a.printPlan(ctx, plan, chosen, f)
	}
	if len(chosen) == 0 {
		return usagef("name those to start: "+strings.Join(plan.Names(), ", "), "%s has only processes that are started on request", plan.File)
	}
	settings := a.settings()
	interactive := hasScreen(a.stdout) && isTerminal(a.stdin)
	onScreen := interactive && f.hasOutput(a.json) && !f.wait
	if onScreen {
		a.client, a.onScreen = "ui", true
	}
	eng, err := a.engineWith(settings)
	if err != nil {
		return err
	}
	for _, n := range plan.Notes {
		a.reportf("%s %s", a.paintErr("hob:", styleWarn), escape(n.String()))
	}
	size := a.callerSize()
	if size == (engine.Size{}) {
		size = engine.Size(settings.Run.Size)
	}
	u := &upRun{app: a, width: widestName(chosen), waits: map[string]string{}}
	u.Up = f.up(eng, plan)
	u.Done, u.Waiting = u.done, u.waiting
	u.Base = engine.Spec{
		Size:      size,
		Timeout:   settings.Run.Timeout,
		Grace:     settings.Run.Grace,
		CreatedBy: project.ByUp,
	}
	if !onScreen && f.hasOutput(a.json) {
		return u.inStream(ctx, chosen, f)
	}
	if !onScreen {
		err := u.Run(ctx, chosen)
		if err == nil && !a.json {
			u.reportEndedAtOnce()
		}
		return u.finish(err)
	}
	o := a.window(settings)
	file := plan.File
	if !filepath.IsAbs(file) {
		file = filepath.Join(plan.Dir, file)
	}
	o.Pane = append(o.Pane, ui.WithProject(ui.Project{
		Name:   group.Name,
		Labels: group.Labels(),
		File:   file,
		Order:  plan.Names(),
	}))
	return u.inUI(ctx, chosen, o)
}

// hasOutput reports whether hob shows the output of the processes.
func (f upFlags) hasOutput(isJSON bool) bool { return f.wait || !f.background && !isJSON }

func widestName(procs []project.Process) (width int) {
	for _, p := range procs {
		width = max(width, len(p.Name))
	}
	return width
}

func (f *upFlags) completeProcesses(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	plan, _, err := f.plan(nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var found []cobra.Completion
	for _, name := range plan.Names() {
		if !slices.Contains(args, name) {
			found = append(found, name)
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// upRun starts the processes of a project and prints what becomes of them.
type upRun struct {
	project.Up
	app   *app
	width int // of the longest name

	mu      sync.Mutex
	hidden  bool // the UI has the terminal: nothing is printed
	streams bool // standard output is for the output of the processes
	results []project.Result
	waits   map[string]string // of the processes that wait: what for
}

func (u *upRun) done(r project.Result) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.results = append(u.results, r)
	delete(u.waits, r.Name)
	if !u.hidden {
		u.print(r)
	}
}

// print prints a result: the name, the job and what was done. That a process cannot be started is an
// error.
func (u *upRun) print(r project.Result) {
	switch {
	case u.app.json && !u.streams:
	case r.Error != "":
		u.app.reportf("%s %s", u.app.paintErr("hob:", styleBad), escape(errorText(r)))
	default:
		out := u.app.stdout
		if u.streams {
			out = u.app.stderr
		}
		fmt.Fprintf(out, "%-*s  %s  %s\n", u.width, escape(r.Name), r.Job.ID, escape(resultText(r)))
		if r.NotReady != "" {
			u.app.reportf("%s %s is not ready: %s", u.app.paintErr("hob:", styleBad), escape(r.Name), escape(r.NotReady))
		}
	}
}

// failed reports whether a process was not started, or does not become ready.
func failed(r project.Result) bool { return r.Error != "" || r.NotReady != "" }

func errorText(r project.Result) string {
	verb := "started"
	if r.Action == project.Stop {
		verb = "stopped"
	}
	return r.Name + " cannot be " + verb + ": " + r.Error
}

// resultText describes what was done with a process.
func resultText(r project.Result) string {
	switch r.Action {
	case project.Gone:
		return "no longer in the file, keeps running; stop it with: hob up --prune"
	case project.Stop:
		return "stopped: no longer in the file"
	case project.Start, project.Skip, project.Keep, project.Restart:
	}
	text := actionText(r.Action, r.Reason)
	if p := r.Job.Pending; p != nil && (p.Position > 0 || len(p.After) > 0) { // otherwise its turn has come
		text = "queued " + p.Reason
	}
	if r.Job.Port != 0 {
		text += ", PORT " + strconv.Itoa(r.Job.Port)
	}
	return text
}

// actionText describes an action whose result is a job that runs.
func actionText(action project.Action, reason string) string {
	text, colon := "started", ": "
	switch {
	case action == project.Keep:
		text, colon = "runs already", ", not restarted: "
	case action == project.Restart:
		text = "restarted"
	}
	if reason == "" {
		return text
	}
	return text + colon + reason
}

func (u *upRun) waiting(name string, until []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.waits[name] = strings.Join(until, " and ")
	if !u.hidden {
		u.printWait(name)
	}
}

func (u *upRun) printWait(name string) {
	if !u.app.json || u.streams {
		u.app.reportf("%s waits until %s", escape(name), escape(u.waits[name]))
	}
}

// show prints again, first the errors until now and what still waits.
func (u *upRun) show() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.hidden = false
	for _, r := range u.results {
		if failed(r) {
			u.print(r)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(u.waits)) {
		u.printWait(name)
	}
	if len(u.waits) > 0 {
		u.app.reportf("Press Ctrl+C to stop waiting and not start the rest")
	}
}

func (u *upRun) hasJobs() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.ContainsFunc(u.results, func(r project.Result) bool { return r.Job != nil })
}

// finish returns the exit status after the last result.
func (u *upRun) finish(err error) error {
	if errors.Is(err, context.Canceled) {
		return cmp.Or(u.app.leftBy.status(), error(exitStatus(exitBroken)))
	}
	if err == nil && u.app.json {
		err = u.app.printJSON(u.results)
	}
	if err != nil {
		return err
	}
	if u.hasJobs() && !u.app.json {
		u.app.reportLogout()
	}
	if slices.ContainsFunc(u.results, failed) {
		return exitStatus(exitFailed)
	}
	return nil
}

// atOnce is the time after its start within which a process that fails is reported.
const atOnce = 500 * time.Millisecond

// reportEndedAtOnce names the processes that failed within atOnce, and why.
func (u *upRun) reportEndedAtOnce() {
	ctx, cancel := context.WithTimeout(context.Background(), atOnce)
	defer cancel()
	var work sync.WaitGroup
	ended := make([]engine.Job, len(u.results))
	for i, r := range u.results {
		begun := r.Error == "" && r.Action != project.Keep && r.Job != nil
		if !begun || r.Job.Pending != nil {
			continue
		}
		work.Go(func() {
			h := u.Engine.Handle(r.Job.ID)
			if _, err := h.Wait(ctx); err == nil {
				ended[i], _ = h.LastFacts(context.WithoutCancel(ctx)) // cleared: not reported
			}
		})
	}
	work.Wait()
	for i, j := range ended {
		if j.Unsuccessful() {
			name := escape(u.results[i].Name)
			u.app.reportf("%s %s ended at once: %s. See: hob why %s", u.app.paintErr("hob:", styleBad), name, escape(endOf(j)), j.ID)
		}
	}
}

// endOf returns how a job ended, and why if it is known.
func endOf(j engine.Job) string {
	how := j.Ending()
	if why := j.Summary(time.Now()); j.Exit.Summary != "" {
		how += ": " + why
	}
	return how
}

// inUI shows the jobs while it starts them. The UI opens once there is a job. If the user closes it
// before the last process has been started, the others are started then.
func (u *upRun) inUI(ctx context.Context, chosen []project.Process, o program.Options) error {
	ctx, release := leaveOnSignal(engine.WithLockNotice(ctx, nil))
	defer release()
	started, ended := make(chan struct{}), make(chan error, 1)
	begun := sync.OnceFunc(func() { close(started) })
	u.hidden = true
	u.Waiting = func(name string, until []string) {
		u.waiting(name, until)
		begun()
	}
	go func() { // every path below waits for its end
		ended <- u.Run(ctx, chosen)
		begun()
	}()
	<-started
	if !u.hasJobs() {
		u.show()
		return u.finish(<-ended)
	}
	result, err := u.app.runApp(ctx, o)
	u.show()
	if err == nil {
		u.app.reportRunning(result.Running)
	}
	return cmp.Or(u.finish(<-ended), err)
}
