package cli

import (
	"context"
	"errors"
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
	if _, err := a.engineWith(settings); err != nil {
		return err
	}
	result, err := a.runApp(ctx, a.window(settings))
	if err != nil {
		return err
	}
	a.reportRunning(result.Running)
	return nil
}

// runApp runs the UI. One that was over in a moment has asked the terminal things
// whose answers have not been read yet. A signal that would end the process makes it
// leave, with the terminal as it was.
func (a *app) runApp(ctx context.Context, o ui.AppOptions) (ui.Result, error) {
	ctx, release := leaveOnSignal(ctx) // first of all: from here on a signal may not just end us
	defer release()
	if isTerminal(a.stdin) {
		defer withoutEcho(a.stdin)()
	}
	program := ui.NewApp(a.eng, o)
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

// status is what hob ends with in the place of a job that goes on: 0 would mean
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

// leaveOnSignal returns a context that is done after a signal that asks the process to
// end, which is its cause.
func leaveOnSignal(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	c := catch(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case s := <-c:
			signal.Stop(c) // the next one is for a program that hangs
			cancel(signalOf(s))
		case <-ctx.Done():
		}
	})
	return ctx, func() {
		signal.Stop(c)
		cancel(nil)
		wg.Wait()
	}
}

// leaveBehind records that a job whose window was left is in the background, unless that is
// recorded. The user is not kept waiting for it.
func (a *app) leaveBehind(id engine.ID) {
	recorded := make(chan struct{})
	go func() { // owned by no one on purpose: the engine's end ends it
		_ = a.eng.Background(id) // the job keeps running in any case
		close(recorded)
	}()
	select {
	case <-recorded:
	case <-time.After(leaveTime):
	}
}

// showWindow shows a job in the full window. One of ours that is over in a moment is not
// drawn there, and what it left is printed when it has ended; that of others stays there.
func (a *app) showWindow(ctx context.Context, v view) error {
	if v.ours {
		var release func()
		ctx, release = leaveOnSignal(ctx)
		defer release()
		if exit, ended := a.endsAtOnce(ctx, v.job.ID); ended {
			return a.finish(ctx, v.job, exit)
		}
	}
	o := a.window(a.settings())
	o.Foreground, o.KeepEnded = v.job.ID, !v.ours
	showing, cancel := atMost(ctx, v.yield)
	defer cancel()
	result, err := a.runApp(showing, o)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return a.yielded(v)
	case err != nil:
		return hobFailed(err)
	case result.Ended != nil && v.ours:
		return a.finish(ctx, *result.Ended, result.Ended.Exit)
	case result.Ended != nil:
		return ending{exit: result.Ended.Exit}.status()
	}
	if v.ours {
		a.leaveBehind(v.job.ID)
	}
	a.reportLeft(ctx, v.job.ID, result)
	return a.told.status()
}

// yielded leaves a job whose time in the window is over.
func (a *app) yielded(v view) error {
	if v.ours {
		if err := a.eng.Background(v.job.ID); err != nil && !errors.Is(err, engine.ErrNotRunning) {
			return hobFailed(err)
		}
	}
	return a.printLeft(v.job.ID, false)
}

// headStart is how long a job may take before the window opens for it: what is
// over in a moment should not flash.
const headStart = 40 * time.Millisecond

// endsAtOnce reports whether the job ends within its head start, and how.
func (a *app) endsAtOnce(ctx context.Context, id engine.ID) (engine.Exit, bool) {
	ctx, cancel := context.WithTimeout(ctx, headStart)
	defer cancel()
	exit, err := a.eng.Wait(ctx, id)
	return exit, err == nil
}

// finish prints what a job left that ended in the foreground, and ends with its
// code.
func (a *app) finish(ctx context.Context, job engine.Job, exit engine.Exit) error {
	if err := a.epilogue(ctx, job); err != nil {
		return hobFailed(err)
	}
	return ending{exit: exit}.status()
}

// leaveTime is how long a host may keep the user who leaves.
const leaveTime = 300 * time.Millisecond

// reportLeft prints how to find a job again that was left in the background.
func (a *app) reportLeft(ctx context.Context, id engine.ID, result ui.Result) {
	if result.Backgrounded != "" {
		id = result.Backgrounded
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
	defer cancel()
	if j, err := a.eng.Get(ctx, string(id)); err == nil && !j.Status.Finished() {
		a.reportf("%s goes on: hob attach %s", id, id)
		if result.Running <= 1 {
			a.reportLogout()
			return
		}
	}
	a.reportRunning(result.Running)
}

// reportRunning prints what leaving did not end.
func (a *app) reportRunning(n int) {
	switch {
	case n < 1:
		return
	case n == 1:
		a.reportf("1 job keeps running")
	default:
		a.reportf("%d jobs keep running", n)
	}
	a.reportLogout()
}

// reportLogout warns where what goes on in the background goes on no longer than the
// login session.
func (a *app) reportLogout() {
	if advice := a.logout(); advice != "" {
		a.reportf("%s %s", a.paintErr("hob:", styleWarn), advice)
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
