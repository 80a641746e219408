package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/config"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui"
)

// usageEvery is how often the panes learn what running jobs use: finding that out
// reads all processes of the machine.
const usageEvery = 5 * time.Second

// openUI opens the panes on all jobs.
func (a *app) openUI(ctx context.Context) error {
	if isTerminal(a.stdout) && !hasScreen(a.stdout) {
		return usagef("hob list prints the jobs, hob help the verbs", "the UI needs a terminal that can be drawn on: TERM is dumb")
	}
	if !isTerminal(a.stdin) || !isTerminal(a.stdout) {
		return usagef("hob list prints the jobs, hob help the verbs", "the UI needs a terminal on standard input and output")
	}
	settings, err := settingsOrError()
	if err != nil {
		return err
	}
	a.client = "ui"
	eng, err := a.engineWith(settings)
	if err != nil {
		return err
	}
	result, err := a.runApp(ctx, eng, a.window(settings))
	if err != nil {
		return err
	}
	a.sayRunning(result.Running)
	return nil
}

// runApp runs the UI. One that was over in a moment has asked the terminal things
// whose answers nobody has read yet. A signal that would end the process makes it
// leave, with the terminal as it was.
func (a *app) runApp(ctx context.Context, eng *engine.Engine, o ui.AppOptions) (ui.Result, error) {
	ctx, release := leaveOnSignal(ctx) // first of all: from here on a signal may not just end us
	defer release()
	if isTerminal(a.stdin) {
		defer withoutEcho(a.stdin)()
	}
	program := ui.NewApp(eng, o)
	defer a.asker.through(questioner{program.Ask, program.Confirm})()
	result, err := program.Run(ctx)
	if !result.Answered && isTerminal(a.stdin) {
		drainAnswers(a.stdin, a.stdout, result.Asked)
	}
	if s, ok := errors.AsType[signalled](context.Cause(ctx)); ok {
		a.told, err = s, nil // that is leaving, too
	}
	return result, err
}

// signalled is why a context is done after a signal.
type signalled syscall.Signal

func (s signalled) Error() string { return "signal " + syscall.Signal(s).String() }

// status is what hob ends with in the place of a job that goes on: 0 would say
// that the job ended well, or that a person left it.
func (s signalled) status() error {
	if s == 0 {
		return nil
	}
	return exitStatus(128 + int(s))
}

// signalOf is s, which package signal gave, as the reason of an end.
func signalOf(s os.Signal) signalled {
	n, _ := s.(syscall.Signal) // there are no others
	return signalled(n)
}

// leaveOnSignal returns a context that a signal ends which asks the process to
// end. Signals that it was told to ignore, as nohup does, stay ignored.
func leaveOnSignal(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	c := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	over := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case s := <-c:
			signal.Stop(c) // the next one is for a program that hangs
			cancel(signalOf(s))
		case <-over:
		}
	})
	return ctx, func() {
		signal.Stop(c)
		close(over)
		wg.Wait()
		cancel(nil)
	}
}

// runForeground starts a job and shows it in the full window.
func (a *app) runForeground(ctx context.Context, eng *engine.Engine, spec engine.Spec, f runFlags, settings *config.Config) error {
	a.sayInside()
	job, err := a.start(ctx, eng, spec, append(a.lendStdin(spec), a.lendStderr(spec)...)...)
	if err != nil {
		return err
	}
	if job.Status == engine.Failed {
		a.sayFailedStart(job)
		return exitStatus(ownCode(job.Exit))
	}
	ctx, release := leaveOnSignal(ctx)
	defer release()
	if exit, ended := endsAtOnce(ctx, eng, job.ID); ended {
		return a.finish(ctx, eng, job, exit)
	}
	o := a.window(settings)
	o.Foreground = job.ID
	showing, cancel := atMost(ctx, f.yield.d)
	defer cancel()
	result, err := a.runApp(showing, eng, o)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return a.yielded(eng, job)
	case err != nil:
		return hobFailed(err)
	case result.Ended != nil:
		return a.finish(ctx, eng, *result.Ended, result.Ended.Exit)
	}
	leaveBehind(eng, job.ID)
	a.sayLeft(ctx, eng, job.ID, result)
	return a.told.status()
}

// leaveBehind records that nobody waits for a job any more whose window was left,
// unless that is recorded. Somebody who leaves is not kept for it.
func leaveBehind(eng *engine.Engine, id engine.ID) {
	recorded := make(chan struct{})
	go func() { // owned by no one on purpose: the engine's end ends it
		_ = eng.Background(id) // the job goes on all the same
		close(recorded)
	}()
	select {
	case <-recorded:
	case <-time.After(leaveTime):
	}
}

// headStart is how long a job may take before the window opens for it: what is
// over in a moment should not flash.
const headStart = 40 * time.Millisecond

// endsAtOnce reports whether the job ends within its head start, and how.
func endsAtOnce(ctx context.Context, eng *engine.Engine, id engine.ID) (engine.Exit, bool) {
	ctx, cancel := context.WithTimeout(ctx, headStart)
	defer cancel()
	exit, err := eng.Wait(ctx, id)
	return exit, err == nil
}

// finish prints what a job left that ended in the foreground, and ends with its
// code.
func (a *app) finish(ctx context.Context, eng *engine.Engine, job engine.Job, exit engine.Exit) error {
	if err := a.epilogue(ctx, eng, job); err != nil {
		return hobFailed(err)
	}
	return ending{exit: exit}.status()
}

// yielded sends a job to the background whose time in the foreground is over.
func (a *app) yielded(eng *engine.Engine, job engine.Job) error {
	if err := eng.Background(job.ID); err != nil && !errors.Is(err, engine.ErrNotRunning) {
		return hobFailed(err)
	}
	_, err := fmt.Fprintln(a.stdout, job.ID)
	return hobFailed(err)
}

// showWindow shows a job that exists in the full window, for yield at most (0: as
// long as it takes).
func (a *app) showWindow(ctx context.Context, eng *engine.Engine, job engine.Job, yield time.Duration) error {
	o := a.window(a.settings())
	o.Foreground, o.KeepEnded = job.ID, true
	showing, cancel := atMost(ctx, yield)
	defer cancel()
	result, err := a.runApp(showing, eng, o)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return a.printLeft(job.ID, false)
	case err != nil:
		return hobFailed(err)
	case result.Ended != nil:
		return ending{exit: result.Ended.Exit}.status()
	}
	a.sayLeft(ctx, eng, job.ID, result)
	return a.told.status()
}

// leaveTime is how long a host may keep a person who leaves.
const leaveTime = 300 * time.Millisecond

// sayLeft says how to find a job again that was left in the background.
func (a *app) sayLeft(ctx context.Context, eng *engine.Engine, id engine.ID, result ui.Result) {
	if result.Backgrounded != "" {
		id = result.Backgrounded
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
	defer cancel()
	if j, err := eng.Get(ctx, string(id)); err == nil && !j.Status.Finished() {
		a.sayf("%s goes on: hob attach %s", id, id)
		if result.Running <= 1 {
			a.sayLogout()
			return
		}
	}
	a.sayRunning(result.Running)
}

// sayRunning says what leaving did not end.
func (a *app) sayRunning(n int) {
	switch {
	case n < 1:
		return
	case n == 1:
		a.sayf("1 job keeps running")
	default:
		a.sayf("%d jobs keep running", n)
	}
	a.sayLogout()
}

// sayLogout warns where what goes on in the background goes on no longer than the
// login session.
func (a *app) sayLogout() {
	if advice := a.logout(); advice != "" {
		a.sayf("%s %s", a.paintErr("hob:", styleWarn), advice)
	}
}

// window is how the UI is set up by settings, flags and surroundings.
func (a *app) window(c *config.Config) ui.AppOptions {
	glyphs := c.Glyphs()
	if a.ascii {
		glyphs = themes.ASCII()
	}
	pane := []ui.Option{
		ui.WithKeys(c.Keymap()),
		ui.WithReducedMotion(c.UI.ReducedMotion),
		ui.WithLogView(ui.LogView{
			Stay: !c.Log.Follow, Wrap: c.Log.Wrap, Timestamps: c.Log.Timestamps, LineNumbers: c.Log.LineNumbers,
		}),
	}
	pane = append(pane, ui.WithHosts(a.hosts.Known()...), ui.WithConnect(a.connectForUI))
	if prefix := outerPrefix(c.Keymap().Terminal.Leave.Keys()); prefix != "" {
		pane = append(pane, ui.WithOuterPrefix(prefix))
	}
	n := c.Notify
	return ui.AppOptions{
		Pane:    pane,
		Theme:   a.theme(c),
		Glyphs:  &glyphs,
		ToShell: c.Run.AfterBackground == "shell",
		Open:    opener(c.UI),
		Suspend: suspendSelf,
		Copy:    copier(os.Getenv("TMUX") != ""),
		Notify:  ui.Notify{Waiting: means(n.Waiting), Failed: means(n.Failed), Finished: means(n.Finished)},
		NoMouse: !c.UI.Mouse,
		Input:   a.terminalInput(),
		Output:  a.stdout,
	}
}

func means(m config.Means) ui.Means {
	return ui.Means{Bell: m.Bell, Desktop: m.OSC, Title: m.Title}
}

// theme is the one that is set, without colours where none are wanted.
func (a *app) theme(c *config.Config) func(bool) themes.Theme {
	if a.colored(a.stdout) {
		return c.BuildTheme
	}
	return func(isDark bool) themes.Theme {
		t, err := themes.Named("none", isDark)
		if err != nil {
			t = themes.Default(isDark)
		}
		return t
	}
}

// terminalInput is where keys come from; nil lets the UI open the terminal
// itself, because standard input is something else.
func (a *app) terminalInput() io.Reader {
	if isTerminal(a.stdin) {
		return a.stdin
	}
	return nil
}
