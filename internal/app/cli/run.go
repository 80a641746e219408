package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/config"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/ui"
)

type runFlags struct {
	background, pty, noPTY, split, stdin, notify, once, raw bool

	name, dir, script string
	on                string
	env               []string
	yield, timeout    time.Duration
	size              engine.Size
	logLimit          int64
}

func (a *app) runCommand() *cobra.Command {
	f := runFlags{yield: notGiven, timeout: notGiven, logLimit: notGiven}
	cmd := &cobra.Command{
		Use:     "run [flags] [--] CMD [ARG…]",
		GroupID: groupJobs,
		Short:   "Starts a job and shows it live",
		Long: "Starts a job and shows it live; Ctrl+B sends it to the background. Where standard\n" +
			"output is no terminal it stands in for the command: output, input, signals and the\n" +
			"exit code pass through. Flags end at CMD's first word.",
		Example: "hob run npm run dev\nhob run -b --timeout 10m make test\nhob run -c 'make && make install'\n" +
			"hob run --on web1 -C /srv/app make test",
		Args:              func(_ *cobra.Command, args []string) error { return f.checkCommand(args) },
		ValidArgsFunction: completeCommand,
		RunE:              func(cmd *cobra.Command, args []string) error { return runFailed(a.run(cmd.Context(), args, f)) },
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false)
	flags.BoolVarP(&f.background, "background", "b", false, "in the background from the start; print the id")
	flags.Var(durationFlag(&f.yield), "yield", "send it to the background by itself after that long")
	flags.Var(durationFlag(&f.timeout), "timeout", "kill it after that long, wherever it is then")
	flags.StringVarP(&f.name, "name", "n", "", "what to call it (default: from the command)")
	flags.Var(wordFlag(&f.on), "on", "run it on this host, by SSH: whatever ssh HOST takes")
	flags.StringVarP(&f.dir, "dir", "C", "", "run it in this directory")
	flags.StringArrayVarP(&f.env, "env", "e", nil, "set NAME=VALUE, or pass NAME on as it is here")
	flags.StringVarP(&f.script, "script", "c", "", "run this shell script instead of CMD")
	flags.BoolVar(&f.pty, "pty", false, "give it a terminal even where standard output is none")
	flags.BoolVar(&f.noPTY, "no-pty", false, "give it no terminal: it writes its log itself")
	flags.BoolVar(&f.split, "split", false, "keep stdout and stderr apart (no terminal)")
	flags.BoolVar(&f.stdin, "stdin", false, "without a terminal: an input that can be written to")
	flags.Var(parseInto(&f.size, "COLSxROWS", parseSize), "size", "size of its terminal (default: of this one, else 120x40)")
	flags.Var(parseInto(&f.logLimit, "BYTES", units.ParseBytes), "log-limit", "how large its log may get (at least 2MiB)")
	flags.BoolVar(&f.notify, "notify", false, "notify when it ends")
	flags.BoolVar(&f.once, "once", false, "if the same command already runs in the same directory, attach to it")
	flags.BoolVar(&f.raw, "raw", false, "pass the terminal through without UI")
	_ = cmd.MarkFlagDirname("dir") // fails only for a flag that is not there
	a.completeHosts(cmd, "on")
	a.jsonFlag(cmd)
	return cmd
}

// checkCommand refuses combinations that mean nothing.
func (f *runFlags) checkCommand(args []string) error {
	switch {
	case f.script == "" && len(args) == 0:
		return usagef("hob run CMD, or hob run -c 'SCRIPT'", "run what?")
	case f.script != "" && len(args) > 0:
		return usagef("put the words into the script", "-c takes a script, here is also %q", args[0])
	case len(args) > 0 && args[0] == "":
		return usagef("hob run CMD", "the command's name is empty")
	case f.pty && (f.noPTY || f.split):
		return usagef("choose one", "--pty excludes --no-pty and --split: a terminal has one stream")
	case f.stdin && f.pty:
		return usagef("leave --stdin away", "--stdin is for jobs without a terminal")
	case f.background && f.yield != notGiven:
		return usagef("choose one", "-b sends it to the background at once, --yield after a while")
	case f.background && f.raw:
		return usagef("choose one", "-b does not show the job, --raw does")
	case f.raw && (f.noPTY || f.split):
		return usagef("leave --raw away: without a terminal everything passes through as it is", "--raw is about a terminal")
	case f.logLimit != notGiven && f.logLimit < leastLog:
		return usagef("give it "+units.BytesText(leastLog)+" or more", "--log-limit %s is too small", units.BytesText(f.logLimit))
	case f.size.Cols != 0 && (f.noPTY || f.split):
		return usagef("leave --size away", "--size is for jobs with a terminal")
	case f.on != "" && !f.pty && (f.raw || f.size.Cols != 0):
		return usagef("add --pty", "a job on a host gets a terminal only with --pty")
	case f.on != "" && f.notify:
		return usagef("hob wait ID && notify-send … tells when it ends", "--notify is for jobs of this machine")
	}
	return nil
}

// leastLog is the smallest cap that a log can have.
const leastLog = 2 * units.MiB

// run starts a job and shows it in the way that fits where hob stands.
func (a *app) run(ctx context.Context, args []string, f runFlags) error {
	yields := f.yield != notGiven
	switch { // below, 0 stands for never
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
	a.shows, a.leaves = !f.background && hasScreen(a.stdout), f.background || yields
	eng, err := a.engineWith(settings)
	if err != nil {
		return err
	}
	// First of all, while Ctrl+C still ends us and not the job.
	if err := a.connectTo(ctx, spec.Host); err != nil {
		return err
	}
	if f.once {
		if a.alone, err = eng.Exclusive(ctx, "once"); err != nil {
			return err
		}
		job, found, err := a.runningAlready(ctx, spec)
		if err != nil {
			return err
		}
		if found {
			a.alone()
			return a.join(ctx, job, f)
		}
	}
	v := view{yield: f.yield, mode: a.modeFor(spec, f)}
	if here := terminalSize(a.stdout); v.mode == inWindow && f.size == (engine.Size{}) && spec.Size == here {
		spec.Size = ui.TerminalSize(here.Cols, here.Rows)
	}
	return a.startAndShow(ctx, spec, v)
}

// modeFor is the way to show a new job that fits where hob stands.
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

// spec is the request that the flags and words make, with the settings where
// they say nothing.
func (a *app) spec(args []string, f runFlags, settings config.Run) (engine.Spec, error) {
	env, err := environment(f.env)
	if err != nil {
		return engine.Spec{}, err
	}
	shown := (hasScreen(a.stdout) || f.raw && isTerminal(a.stdout)) && !a.json
	spec := engine.Spec{
		Command: args, Script: f.script, Name: f.name, Dir: f.dir, Env: env,
		Split: f.split, Stdin: f.stdin, Size: f.size, Timeout: f.timeout,
		LogLimit: max(f.logLimit, 0), Backgrounded: f.background, Notify: f.notify, Grace: settings.Grace,
	}
	if f.timeout == notGiven {
		spec.Timeout = settings.Timeout
	}
	if len(args) == 0 {
		spec.Command = nil
	}
	if f.on != "" {
		a.onHost(&spec, f)
		return spec, nil
	}
	switch {
	case f.pty:
		spec.PTY = true
	case f.noPTY, f.split:
	case f.background, shown:
		spec.PTY = true
	default:
		spec.Split = true // the stand-in keeps the streams apart
	}
	if spec.PTY && spec.Size == (engine.Size{}) {
		spec.Size = a.callerSize()
		if spec.Size == (engine.Size{}) {
			spec.Size = engine.Size(settings.Size)
		}
	}
	if spec.PTY && f.stdin {
		return engine.Spec{}, usagef("add --no-pty, or leave --stdin away", "a job with a terminal has its input there: --stdin is for jobs without")
	}
	return spec, nil
}

// start starts the job; then others may look whether it is there.
func (a *app) start(ctx context.Context, spec engine.Spec, opts ...engine.StartOption) (engine.Job, error) {
	if a.alone != nil {
		defer a.alone()
	}
	others, lent := a.lendOthers(spec)
	defer func() {
		for _, f := range lent {
			f.Close()
		}
	}()
	return a.eng.Start(ctx, spec, append(opts, others...)...)
}

// runningAlready finds a job that runs the same command in the same directory.
func (a *app) runningAlready(ctx context.Context, spec engine.Spec) (engine.Job, bool, error) {
	dir := spec.Dir // on a host it is as it was said
	if spec.Host == "" {
		var err error
		dir, err = absoluteDir(spec.Dir)
		if errors.Is(err, fs.ErrNotExist) { // we are in a directory that was deleted
			return engine.Job{}, false, nil
		}
		if err != nil {
			return engine.Job{}, false, err
		}
	}
	jobs, err := a.eng.List(ctx, engine.Filter{Running: true, Here: spec.Host == "", Host: spec.Host})
	if err != nil {
		return engine.Job{}, false, err
	}
	for _, j := range jobs {
		if sameRequest(j, spec) && j.Dir == dir {
			return j, true, nil
		}
	}
	return engine.Job{}, false, nil
}

// join shows a job that runs already, as run would have shown its own.
func (a *app) join(ctx context.Context, job engine.Job, f runFlags) error {
	switch {
	case f.background:
		return a.printStarted(job)
	case a.json:
		return a.show(ctx, view{mode: asJSON, job: job, yield: f.yield})
	}
	a.reportf("%s already runs", job.ID)
	return a.attachTo(ctx, job, f.raw, f.yield)
}

// reportInside reports, inside a job of hob, which job gets Ctrl+B.
func (a *app) reportInside() {
	if outer := os.Getenv("HOB_JOB_ID"); outer != "" {
		a.reportf("hob: inside job %s: while that is attached, Ctrl+B goes to it, not to this one", escape(outer))
	}
}
