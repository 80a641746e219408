package cli

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/config"
	"github.com/hobjobs/hob/internal/hostname"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/ui"
)

type runFlags struct {
	background, pty, noPTY, split, stdin, notify, once, raw bool

	name, dir, script string
	on                string
	agent             string // see runForAgent
	env, sbatch       []string
	yield, timeout    time.Duration
	size              engine.Size
	port              int // 0: not given; engine.AutoPort
	queue             string
	after, afterAny   []string
	logLimit          int64
	restart           string
}

func (a *app) runCommand() *cobra.Command {
	f := runFlags{yield: notGiven, timeout: notGiven, logLimit: notGiven}
	cmd := &cobra.Command{
		Use:     "run [flags] [--] CMD [ARG…]",
		GroupID: groupRun,
		Short:   "Start a job and watch it",
		Long: "Start a job and watch it. Ctrl+B sends it to the background and opens the job list,\n" +
			"where q returns to the shell; in tmux, press Ctrl+B twice. When stdout is not a\n" +
			"terminal, hob run behaves like the command itself: it forwards stdin, stdout,\n" +
			"stderr, signals and the exit code. Flags go before CMD.",
		Example: "hob run npm run dev\nhob run -b --timeout 10m make test\nhob run -c 'make && make install'\n" +
			"hob run --on web1 -C /srv/app make test",
		Args:              func(_ *cobra.Command, args []string) error { return f.checkFlags(args) },
		ValidArgsFunction: completeCommand,
		RunE:              func(cmd *cobra.Command, args []string) error { return runFailed(a.run(cmd.Context(), args, f)) },
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false)
	flags.BoolVarP(&f.background, "background", "b", false, "run it in the background and print its ID")
	flags.Var(durationFlag(&f.yield), "yield", "move it to the background after this long")
	flags.Var(durationFlag(&f.timeout), "timeout", "kill it after this long, in the background too")
	flags.VarP(textFlag(&f.name, "NAME"), "name", "n", "job name (default: derived from the command)")
	flags.Var(nonEmptyFlag(&f.on, "HOST"), "on", "run it on HOST over SSH (any name ssh accepts), or slurm:LOGIN")
	flags.Var(listFlag{&f.sbatch, "OPTIONS"}, "sbatch", "with --on slurm:LOGIN: options for sbatch, separated by spaces")
	flags.VarP(textFlag(&f.dir, "DIR"), "dir", "C", "run it in this directory")
	flags.VarP(listFlag{&f.env, "NAME[=VALUE]"}, "env", "e", "set a variable, or pass NAME through")
	flags.Var(parseInto(&f.port, "PORT", engine.ParsePort), "port", "set PORT to this; auto: to a free port, the same each time")
	completeValues(cmd, "port", "auto")
	flags.Var(parseInto(&f.restart, "WHEN", parseRestart), "restart", "start it again when it ends: "+engine.RestartPolicies+" (N times)")
	completeValues(cmd, "restart", "on-failure", "always", "no")
	flags.Var(nonEmptyFlag(&f.queue, "NAME"), "queue", "start it when this queue has a free slot (without NAME: "+engine.DefaultQueue+")")
	flags.Lookup("queue").NoOptDefVal = engine.DefaultQueue
	completeFlag(cmd, "queue", a.completeQueues())
	flags.Var(listFlag{&f.after, "ID"}, "after", "start it when job ID has exited with 0; repeatable")
	flags.Var(listFlag{&f.afterAny, "ID"}, "after-any", "start it when job ID has ended in any way; repeatable")
	for _, name := range []string{"after", "after-any"} {
		completeFlag(cmd, name, a.completeJobs(engine.Filter{Running: true, Here: true}, true))
	}
	flags.VarP(textFlag(&f.script, "SCRIPT"), "script", "c", "run this shell script instead of CMD")
	flags.BoolVar(&f.pty, "pty", false, "allocate a terminal even if stdout is not one")
	flags.BoolVar(&f.noPTY, "no-pty", false, "do not allocate a terminal")
	flags.BoolVar(&f.split, "split", false, "log stdout and stderr separately (no terminal)")
	flags.BoolVar(&f.stdin, "stdin", false, "keep stdin open for hob write (without a terminal)")
	flags.Var(parseInto(&f.size, "COLSxROWS", parseSize), "size", "terminal size (default: this terminal's, else 120x40)")
	flags.Var(parseInto(&f.logLimit, "BYTES", units.ParseBytes), "log-limit", "maximum log size (at least "+units.BytesText(engine.MinLogLimit)+")")
	flags.BoolVar(&f.notify, "notify", false, "notify when it ends")
	flags.BoolVar(&f.once, "once", false, "attach if the same command is already running in this directory")
	flags.BoolVar(&f.raw, "raw", false, "no UI: connect the terminal directly")
	flags.StringVar(&f.agent, "agent", "", "start it as a job of this AI agent; used by its hook")
	_ = flags.MarkHidden("agent")  // fails only for a flag that is not there
	_ = cmd.MarkFlagDirname("dir") // fails only for a flag that is not there
	completeFlag(cmd, "on", a.completeHosts())
	a.jsonFlag(cmd)
	return cmd
}

// checkFlags refuses a missing command and flags that contradict each other.
func (f *runFlags) checkFlags(args []string) error {
	switch {
	case f.script == "" && len(args) == 0:
		return usagef("Usage: hob run CMD, or hob run -c 'SCRIPT'", "missing command")
	case f.script != "" && len(args) > 0:
		return usagef("put everything into the script", "-c cannot be combined with the command %q", args[0])
	case len(args) > 0 && args[0] == "":
		return usagef("Usage: hob run CMD", "the command name is empty")
	case f.pty && (f.noPTY || f.split):
		return usagef("remove one of them", "--pty cannot be combined with --no-pty or --split")
	case f.stdin && f.pty:
		return usagef("remove --stdin: a terminal always has input", "--stdin cannot be combined with --pty")
	case f.background && f.yield != notGiven:
		return usagef("remove one of them", "--background cannot be combined with --yield")
	case f.background && f.raw:
		return usagef("remove one of them", "--background cannot be combined with --raw")
	case f.raw && (f.noPTY || f.split):
		return usagef("remove --raw", "--raw cannot be combined with --no-pty or --split")
	case f.logLimit != notGiven && f.logLimit < engine.MinLogLimit:
		return usagef("use "+units.BytesText(engine.MinLogLimit)+" or more", "--log-limit %s is too small", units.BytesText(f.logLimit))
	case f.size.Cols != 0 && (f.noPTY || f.split):
		return usagef("remove --size: the job has no terminal", "--size cannot be combined with --no-pty or --split")
	case f.on != "" && !f.pty && (f.raw || f.size.Cols != 0):
		return usagef("add --pty", "with --on, --raw and --size require --pty")
	case len(f.sbatch) > 0 && !f.onCluster():
		return usagef("add --on slurm:LOGIN", "--sbatch is for jobs on a cluster")
	case f.on != "" && f.port != 0:
		return usagef("use -e PORT=…", "--port cannot be combined with --on")
	case f.on != "" && f.restart != "":
		return usagef("run a loop there: hob run --on HOST -c 'while ! CMD; do sleep 1; done'", "--restart is only for jobs of this machine")
	case f.onCluster() && f.queue != "":
		return usagef("name a partition of Slurm: --sbatch '-p PARTITION'", "--queue is only for jobs of this machine")
	case f.on != "" && f.queue != "":
		return usagef("remove --on or --queue", "--queue is only for jobs of this machine")
	case f.on != "" && !f.onCluster() && len(f.after)+len(f.afterAny) > 0:
		return usagef("start it when the others have ended: hob wait ID && hob run --on …", "--after and --after-any are only for jobs of this machine and of clusters")
	case f.on != "" && f.notify:
		return usagef("run instead: hob wait ID && notify-send …", "--notify cannot be combined with --on")
	}
	return nil
}

func (f *runFlags) onCluster() bool { return hostname.OnCluster(f.on) }

// parseRestart returns the restart policy of --restart; "no" is the default.
func parseRestart(text string) (string, error) {
	if text == "no" {
		return "", nil
	}
	policy, err := engine.ParseRestart(text)
	if err != nil || policy == (engine.RestartPolicy{}) {
		return "", errors.New("use " + engine.RestartPolicies + "; no: never")
	}
	return text, nil
}

// run starts a job and shows it as fits the flags and the terminal.
func (a *app) run(ctx context.Context, args []string, f runFlags) error {
	yields := f.yield != notGiven
	switch { // from here on 0 means never
	case !yields:
		f.yield = 0
	case f.yield == 0:
		f.yield = 1
	}
	settings := a.settings()
	spec, err := a.spec(args, f, settings.Run)
	if err != nil {
		return err
	}
	if f.agent != "" {
		return a.runForAgent(ctx, spec, settings, f)
	}
	a.onScreen, a.detaches = !f.background && hasScreen(a.stdout), f.background || yields
	if _, err := a.engineWith(settings); err != nil {
		return err
	}
	if err := a.queueUp(ctx, &spec, f); err != nil {
		return err
	}
	// Before the job starts, while Ctrl+C still ends hob itself.
	if err := a.connectTo(ctx, spec.Host); err != nil {
		return err
	}
	if f.once {
		job, found, err := a.lockOnce(ctx, spec)
		if err != nil {
			return err
		}
		if found {
			return a.showExisting(ctx, job, f)
		}
	}
	v := view{yield: f.yield, mode: a.modeFor(spec, f)}
	if here := terminalSize(a.stdout); v.mode == inWindow && f.size == (engine.Size{}) && spec.Size == here {
		spec.Size = ui.TerminalSize(here.Cols, here.Rows)
	}
	return a.startAndShow(ctx, spec, v)
}

func (a *app) modeFor(spec engine.Spec, f runFlags) mode {
	switch {
	case f.background:
		return unseen
	case a.json:
		return asJSON
	case spec.PTY && f.raw && isTerminal(a.stdin):
		return inRaw
	case hasScreen(a.stdout) && !spec.Split && (spec.Host != "" || !spec.Stdin):
		return inWindow
	}
	return asOutput
}

// spec returns the request for the arguments and flags. The settings have the defaults.
func (a *app) spec(args []string, f runFlags, settings config.Run) (engine.Spec, error) {
	env, err := environment(f.env)
	if err != nil {
		return engine.Spec{}, err
	}
	shown := (hasScreen(a.stdout) || f.raw && isTerminal(a.stdout)) && !a.json
	spec := engine.Spec{
		Command: args, Script: f.script, Name: f.name, Dir: f.dir, Env: env, Port: f.port,
		Split: f.split, Stdin: f.stdin, Size: f.size, Timeout: f.timeout,
		Restart: f.restart, LogLimit: max(f.logLimit, 0), Backgrounded: f.background, Notify: f.notify, Grace: settings.Grace,
	}
	if f.timeout == notGiven {
		spec.Timeout = settings.Timeout
	}
	if len(args) == 0 {
		spec.Command = nil
	}
	if f.on != "" {
		return spec, a.onHost(&spec, f)
	}
	switch {
	case f.pty:
		spec.PTY = true
	case f.noPTY, f.split:
	case f.background, shown:
		spec.PTY = true
	default:
		spec.Split = true // to forward the streams separately
	}
	if spec.PTY && spec.Size == (engine.Size{}) {
		spec.Size = a.callerSize()
		if spec.Size == (engine.Size{}) {
			spec.Size = engine.Size(settings.Size)
		}
	}
	if spec.PTY && f.stdin {
		return engine.Spec{}, usagef("add --no-pty, or remove --stdin: a terminal always has input", "--stdin is for jobs without a terminal")
	}
	return spec, nil
}

// start starts the job and then releases the lock of --once.
func (a *app) start(ctx context.Context, spec engine.Spec, opts ...engine.StartOption) (engine.Job, error) {
	if a.unlock != nil {
		defer a.unlock()
	}
	more, files := a.passDescriptors(spec)
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	return a.eng.Start(ctx, spec, append(opts, more...)...)
}

// showExisting shows a running job as run would have shown a new one.
func (a *app) showExisting(ctx context.Context, job engine.Job, f runFlags) error {
	switch {
	case f.background:
		return a.printStarted(job)
	case a.json:
		return a.show(ctx, view{mode: asJSON, job: job, yield: f.yield})
	}
	a.reportf("%s is already running", job.ID)
	return a.attachTo(ctx, job, f.raw, f.yield)
}

// warnNested reports which job receives Ctrl+B if hob runs inside a job.
func (a *app) warnNested() {
	if outer := os.Getenv("HOB_JOB_ID"); outer != "" {
		a.reportf("hob: running inside job %s: while it is attached, Ctrl+B sends %[1]s to the background, not this job", escape(outer))
	}
}
