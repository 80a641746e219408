package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/config"
	"github.com/hobjobs/hob/internal/units"
	"github.com/hobjobs/hob/internal/vt"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui"
	"github.com/hobjobs/hob/ui/program"
)

// usageEvery is the interval of measuring the resources of running jobs. It is long because
// a measurement reads all processes of the machine.
const usageEvery = 5 * time.Second

func (a *app) openUI(ctx context.Context) error {
	if isTerminal(a.stdout) && !hasScreen(a.stdout) {
		return usagef("Without the UI: hob list, hob help", "the UI needs a full-screen terminal, but TERM is dumb")
	}
	if !isTerminal(a.stdin) || !isTerminal(a.stdout) {
		return usagef("Without the UI: hob list, hob help", "the UI needs a terminal on stdin and stdout")
	}
	settings := a.settings()
	a.client = "ui"
	if _, err := a.engineWith(settings); err != nil {
		return err
	}
	o := a.window(settings)
	o.Pane = append(o.Pane, ui.WithReboot(newlyRebooted(ctx, a)), ui.WithWarning(settingsWarning(settings)))
	stopNotifying := notifyWhile(ctx, a, engine.Filter{})
	result, err := a.runApp(ctx, o)
	stopNotifying()
	if err != nil {
		return err
	}
	a.reportRunning(result.Running)
	return nil
}

// runApp runs the UI and restores the terminal, also after a signal that would end the
// process. If the UI exits before the terminal has answered its queries, runApp reads and
// discards the answers.
func (a *app) runApp(ctx context.Context, o program.Options) (program.Result, error) {
	ctx, release := leaveOnSignal(ctx) // before the terminal is changed
	defer release()
	if isTerminal(a.stdin) {
		defer withoutEcho(a.stdin)()
	}
	app := program.New(a.eng, o)
	defer a.prompter.useUI(uiPrompts{app.Ask, app.Confirm})()
	result, err := app.Run(ctx)
	if !result.Answered && isTerminal(a.stdin) {
		drainAnswers(a.stdin, a.stdout, result.Asked)
	}
	a.awaitRestarts(ctx, result)
	if s, ok := errors.AsType[signalled](context.Cause(ctx)); ok {
		a.leftBy, err = s, nil // treated like leaving with a key
	}
	return result, err
}

// awaitRestarts finishes the restarts that the user left: nothing else would start the jobs
// once they have stopped.
func (a *app) awaitRestarts(ctx context.Context, r program.Result) {
	if len(r.Restarting) == 0 {
		return
	}
	for _, j := range r.Restarting {
		a.reportf("restarting %s; Ctrl+C leaves it stopped", escape(j.Name))
	}
	err := r.Restarted(ctx)
	if ctx.Err() == nil {
		if err != nil {
			a.report(err)
		}
		return
	}
	for _, j := range r.Restarting {
		a.reportf("%s was not started again. To start it: hob restart %s", escape(j.Name), j.ID)
	}
}

// signalled is the cause of a context that a signal canceled.
type signalled syscall.Signal

func (s signalled) Error() string { return "signal " + syscall.Signal(s).String() }

// status returns the exit status of hob when a signal made it leave a running job. 0 would
// mean that the job succeeded or that the user left it.
func (s signalled) status() error {
	if s == 0 {
		return nil
	}
	return exitStatus(128 + int(s))
}

// signalOf converts a signal of package signal.
func signalOf(s os.Signal) signalled {
	n, _ := s.(syscall.Signal) // always of this type
	return signalled(n)
}

// sameRequest is the time within which signals are one request: timeout(1) and terminals send them to a process and
// its group.
const sameRequest = time.Second

// leaveOnSignal returns a context that is canceled by a signal that asks the process to
// exit. The cause of the context is the signal.
func leaveOnSignal(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	released, end := context.WithCancel(context.Background())
	c := catch(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case s := <-c:
			cancel(signalOf(s))
			again := time.AfterFunc(sameRequest, func() { signal.Stop(c) }) // a further signal ends a process that hangs
			context.AfterFunc(released, func() { again.Stop() })
		case <-ctx.Done():
		}
	})
	return ctx, func() {
		end()
		signal.Stop(c)
		cancel(nil)
		wg.Wait()
	}
}

// recordBackground records that a job whose window was closed is in the background. It waits
// at most leaveTime for that.
func (a *app) recordBackground(id engine.ID) {
	recorded := make(chan struct{})
	go func() { // has no owner on purpose: closing the engine ends it
		_ = a.eng.Handle(id).Background() // the job keeps running in any case
		close(recorded)
	}()
	select {
	case <-recorded:
	case <-time.After(leaveTime):
	}
}

// showWindow shows a job in the full window. If hob started the job, the window opens only
// if the job runs for a while, and its output is printed when it ends; otherwise the window
// stays open on the ended job.
func (a *app) showWindow(ctx context.Context, v view) error {
	if v.ours {
		var release func()
		ctx, release = leaveOnSignal(ctx)
		defer release()
		if exit, ended := a.endsQuickly(ctx, v.job.ID); ended {
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
		a.recordBackground(v.job.ID)
	}
	a.reportLeft(ctx, v.job.ID, result)
	return a.leftBy.status()
}

// yielded leaves a job in the background after --yield.
func (a *app) yielded(v view) error {
	if v.ours {
		if err := a.eng.Handle(v.job.ID).Background(); err != nil && !errors.Is(err, engine.ErrNotRunning) {
			return hobFailed(err)
		}
	}
	return a.printLeft(v.job.ID, false)
}

// windowDelay is how long a job runs before the window opens, so that a short job does not
// make the screen flash.
const windowDelay = 40 * time.Millisecond

// endsQuickly reports whether the job ends within windowDelay, and how.
func (a *app) endsQuickly(ctx context.Context, id engine.ID) (engine.Exit, bool) {
	ctx, cancel := context.WithTimeout(ctx, windowDelay)
	defer cancel()
	exit, err := a.eng.Handle(id).Wait(ctx)
	return exit, err == nil
}

// finish prints the output of a job that ended in the foreground, and returns its exit
// status.
func (a *app) finish(ctx context.Context, job engine.Job, exit engine.Exit) error {
	if err := a.printFinal(ctx, job); err != nil {
		return hobFailed(err)
	}
	return ending{exit: exit}.status()
}

// leaveTime limits how long leaving waits for a host or a disk. A busy machine needs a part of it.
const leaveTime = 2 * time.Second

// reportLeft prints how to reattach to a job that was left in the background.
func (a *app) reportLeft(ctx context.Context, id engine.ID, result program.Result) {
	if result.Backgrounded != "" {
		id = result.Backgrounded
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
	defer cancel()
	if j, err := a.eng.Handle(id).Facts(ctx); err == nil && !j.Status.Finished() {
		a.reportKeepsRunning(j)
		if result.Running <= 1 {
			a.reportLogout()
			return
		}
	}
	a.reportRunning(result.Running)
}

func (a *app) reportKeepsRunning(j engine.Job) {
	a.reportf("%s keeps running. Reattach: hob attach %s", escape(j.Name), j.ID)
}

// reportRunning prints how many jobs keep running after the UI was closed.
func (a *app) reportRunning(n int) {
	if n < 1 {
		return
	}
	keep := "keep"
	if n == 1 {
		keep = "keeps"
	}
	a.reportf("%s %s running", units.Count(n, "job"), keep)
	a.reportLogout()
}

// reportLogout warns if background jobs on this system end with the login session.
func (a *app) reportLogout() {
	if advice := a.logout(); advice != "" {
		a.reportf("%s %s", a.paintErr("hob:", styleWarn), advice)
	}
}

// window returns the options of the UI from settings, flags and the environment.
func (a *app) window(c *config.Config) program.Options {
	glyphs := c.Glyphs()
	if a.ascii {
		glyphs = themes.ASCII()
	}
	pane := []ui.Option{
		ui.WithKeys(c.Keymap()),
		ui.WithReducedMotion(c.UI.ReducedMotion),
		ui.WithLogView(ui.LogView{
			Stay:        !c.Log.Follow,
			Wrap:        c.Log.Wrap,
			Timestamps:  c.Log.Timestamps,
			LineNumbers: c.Log.LineNumbers,
		}),
	}
	pane = append(pane, ui.WithHosts(a.hosts.Known()...), ui.WithConnect(a.connectForUI), ui.WithGroupRestart(groupRestarts(a)))
	leave := c.Keymap().Terminal.Leave.Keys()
	if prefix := outerPrefix(leave); prefix != "" {
		pane = append(pane, ui.WithOuterPrefix(prefix, "tmux"))
	}
	if outer := os.Getenv("HOB_JOB_ID"); outer != "" {
		pane = append(pane, ui.WithinJob(engine.ID(outer)))
		if len(leave) > 0 {
			pane = append(pane, ui.WithOuterPrefix(leave[0], "the outer hob"))
		}
	}
	n := c.Notify
	return program.Options{
		Pane:    pane,
		Theme:   a.theme(c),
		Glyphs:  &glyphs,
		ToShell: c.Run.AfterBackground == "shell",
		Open:    opener(c.UI),
		Suspend: suspendSelf,
		Copy:    copier(os.Getenv("TMUX") != ""),
		Notify: program.Notify{
			Waiting:  notifyBy(n.Waiting),
			Failed:   notifyBy(n.Failed),
			Finished: notifyBy(n.Finished),
		},

		NoStatus: !n.ProgramStatus,
		NoMouse:  !c.UI.Mouse,
		Input:    a.terminalInput(),
		Output:   a.stdout,
	}
}

func notifyBy(m config.Means) program.Means {
	return program.Means{Bell: m.Bell, Desktop: m.OSC, Title: m.Title}
}

// theme returns the configured theme, or one without colors if color is disabled.
func (a *app) theme(c *config.Config) func(bool) themes.Theme {
	if a.colored(a.stdout) {
		return c.BuildTheme
	}
	return func(isDark bool) themes.Theme {
		t, _ := themes.Named("none", isDark) // there is one of this name
		return t
	}
}

// terminalInput returns the input of the UI. It returns nil if standard input is not the
// terminal, and the UI then opens the terminal itself.
func (a *app) terminalInput() io.Reader {
	if isTerminal(a.stdin) {
		return a.stdin
	}
	return nil
}

const (
	// finalLines is the maximum number of lines printed when a job ends in the foreground,
	// enough to fill a terminal's scrollback.
	finalLines = 5000
	// finalBytes is how much of the end of the log is read for them.
	finalBytes = 32 << 20
)

// printFinal prints the output of a job that ended in the foreground, as it would be on the
// main screen and in the scrollback if the job had run without hob.
func (a *app) printFinal(ctx context.Context, job engine.Job) error {
	lines, total, err := a.outputLines(ctx, job)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(a.stdout)
	colored := a.colored(a.stdout)
	for _, l := range lines[max(len(lines)-finalLines, 0):] {
		if !colored {
			l = vt.Strip(l)
		}
		w.WriteString(l)
		w.WriteByte('\n')
	}
	if more := total - finalLines; more > 0 { // at the end, where it is visible
		note := "[… " + units.Count(int(more), "earlier line") + ": hob log --offset 0 " + string(job.ID) + " or " + job.OutputPath + "]"
		w.WriteString(paint(colored, note, styleDim) + "\n")
	}
	return w.Flush()
}

// outputLines returns the last lines of a job's main screen and scrollback, styled, and the
// total number of lines. It reads at most finalBytes of the log.
func (a *app) outputLines(ctx context.Context, job engine.Job) (lines []string, total int64, err error) {
	log, err := a.eng.Handle(job.ID).Log(ctx, job.Streams()[0])
	if err != nil {
		return nil, 0, err
	}
	defer log.Close()
	size, err := log.Size(ctx)
	if err != nil {
		return nil, 0, err
	}
	cols, rows := job.Size.Cols, job.Size.Rows
	if cols <= 0 || rows <= 0 {
		cols, rows = 120, 40
	}
	term := vt.New(cols, rows, vt.WithScrollback(2*int(units.MiB)+int(2*min(size, finalBytes))))
	if !job.HasTerminal() {
		// Without a terminal no carriage return was added before each line feed, so the
		// emulator has to do that.
		_, _ = term.Write([]byte("\x1b[20h")) // never fails
	}
	all := pipe{log: log, out: term, next: max(size-finalBytes, 0)}
	if err := all.copy(ctx); err != nil {
		return nil, 0, err
	}
	if text := strings.TrimRight(term.MainANSI(), "\n"); text != "" {
		lines = strings.Split(text, "\n")
	}
	if size <= finalBytes {
		return lines, int64(len(lines)), nil
	}
	total, err = log.CountLines(ctx)
	return lines, total, err
}
