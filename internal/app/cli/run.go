package cli

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/config"
	"github.com/hobjobs/hob/ui"
)

type runFlags struct {
	background, once, raw bool

	agent string // see runForAgent
	yield time.Duration

	job   []*jobFlag
	asked engine.Spec // what job asks for
	given []string    // the options of job that were given
}

func (a *app) runCommand() *cobra.Command {
	f := runFlags{yield: notGiven}
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
		RunE:              func(cmd *cobra.Command, _ []string) error { return runFailed(a.run(cmd.Context(), f)) },
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false)
	flags.BoolVarP(&f.background, "background", "b", false, "run it in the background and print its ID")
	flags.Var(durationFlag(&f.yield), "yield", "move it to the background after this long")
	flags.BoolVar(&f.once, "once", false, "attach if the same command is already running in this directory")
	flags.BoolVar(&f.raw, "raw", false, "no UI: connect the terminal directly")
	flags.StringVar(&f.agent, "agent", "", "start it as a job of this AI agent; used by its hook")
	_ = flags.MarkHidden("agent") // fails only for a flag that is not there
	f.job = addJobFlags(cmd)
	_ = cmd.MarkFlagDirname("dir") // fails only for a flag that is not there
	completeFlag(cmd, "on", a.completeHosts())
	completeFlag(cmd, "queue", a.completeQueues())
	for _, name := range []string{"after", "after-any"} {
		completeFlag(cmd, name, a.completeJobs(engine.Filter{Running: true, Here: true}, true))
	}
	a.jsonFlag(cmd)
	return cmd
}

// checkFlags refuses a missing command and flags that contradict each other.
func (f *runFlags) checkFlags(args []string) error {
	f.asked, f.given = askedBy(f.job)
	noTerminal := f.has("no-pty") || f.has("split")
	switch {
	case f.asked.Script == "" && len(args) == 0:
		return usagef("Usage: hob run CMD, or hob run -c 'SCRIPT'", "missing command")
	case f.asked.Script != "" && len(args) > 0:
		return usagef("put everything into the script", "-c cannot be combined with the command %q", args[0])
	case f.background && f.yield != notGiven:
		return usagef("remove one of them", "--background cannot be combined with --yield")
	case f.background && f.raw:
		return usagef("remove one of them", "--background cannot be combined with --raw")
	case f.raw && noTerminal:
		return usagef("remove --raw", "--raw cannot be combined with --no-pty or --split")
	}
	f.asked.Command = args
	if len(args) == 0 {
		f.asked.Command = nil
	}
	if err := f.asked.Check(f.given...); err != nil {
		return requestFailure(err)
	}
	if f.asked.Host == "" {
		return nil
	}
	if needsTerminal := f.raw || f.has("size"); needsTerminal && !f.asked.PTY {
		return usagef("add --pty", "with --on, --raw and --size require --pty")
	}
	return nil
}

// run starts a job and shows it as fits the flags and the terminal.
func (a *app) run(ctx context.Context, f runFlags) error {
	yields := f.yield != notGiven
	switch { // from here on 0 means never
	case !yields:
		f.yield = 0
	case f.yield == 0:
		f.yield = 1
	}
	settings := a.settings()
	if f.agent != "" {
		spec, err := a.spec(f, settings.Run, false)
		if err != nil {
			return err
		}
		return a.runForAgent(ctx, spec, settings, f)
	}
	a.onScreen, a.detaches = !f.background && hasScreen(a.stdout), f.background || yields
	if _, err := a.engineWith(settings); err != nil {
		return err
	}
	if err := a.resolveOrder(ctx, &f.asked); err != nil {
		return err
	}
	// Before the job starts, while Ctrl+C still ends hob itself.
	if err := a.connectTo(ctx, f.asked.Host); err != nil {
		return err
	}
	spec, err := a.spec(f, settings.Run, a.hosts.HasHolder(f.asked.Host))
	if err != nil {
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
	if spec.Notify && v.mode != inWindow {
		warnUnnotified(ctx, a, spec.Host, settings)
	}
	if here := terminalSize(a.stdout); v.mode == inWindow && !f.has("size") && spec.Size == here {
		spec.Size = ui.TerminalSize(here.Cols, here.Rows)
	}
	return a.startAndShow(ctx, spec, v)
}

func (a *app) modeFor(spec engine.Spec, f runFlags) mode {
	pipesHere := spec.Host == "" && spec.Stdin
	switch {
	case f.background:
		return unseen
	case a.json:
		return asJSON
	case spec.PTY && f.raw && isTerminal(a.stdin):
		return inRaw
	case hasScreen(a.stdout) && !spec.Split && !pipesHere:
		return inWindow
	}
	return asOutput
}

// spec returns the request for the arguments and flags. The settings have the defaults. holder means that the
// host of the job is known to have hob's holder.
func (a *app) spec(f runFlags, settings config.Run, holder bool) (engine.Spec, error) {
	spec := f.asked
	spec.Backgrounded, spec.Grace = f.background, settings.Grace
	if !f.has("timeout") {
		spec.Timeout = settings.Timeout
	}
	if spec.Host != "" {
		a.onHost(&spec, f, holder)
		return spec, nil
	}
	onTerminal := hasScreen(a.stdout) || f.raw && isTerminal(a.stdout)
	shown := onTerminal && !a.json
	switch {
	case spec.PTY, spec.Split, f.has("no-pty"):
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
	if spec.PTY && spec.Stdin {
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
		return a.printStarted(ctx, job)
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
