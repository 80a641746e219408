// Package program is a whole program around the pane of package ui, as hob shows it: it owns the
// terminal, copies, notifies, and runs pagers and editors.
//
//	result, err := program.New(eng, program.Options{}).Run(ctx)
//
// It uses only what package ui offers to every host.
package program

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/termenv"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui"
)

// App is a program around a pane. It owns the terminal.
type App struct {
	pane    *ui.Pane
	o       Options
	started chan struct{} // closed when the program accepts messages
	ended   chan struct{} // closed when it no longer does
	program *tea.Program
}

// Options configures an App. The zero value opens the panes on all jobs.
type Options struct {
	// Pane has options of the pane.
	Pane []ui.Option
	// Theme returns the theme, once it is known whether the terminal's background is dark
	// (default: [themes.Default]).
	Theme func(isDark bool) themes.Theme
	// Glyphs replaces the glyphs (default: [themes.Unicode]).
	Glyphs *themes.Glyphs

	// Foreground is a job to show in the full window at first.
	Foreground engine.ID
	// ToShell exits when the foreground job is sent to the background, instead of showing the
	// panes.
	ToShell bool
	// KeepEnded keeps the last screen of the foreground job until Enter. Otherwise the program
	// exits when that job ends.
	KeepEnded bool
	// Replay is a job whose replay to show at first. Closing it exits the program.
	Replay engine.ID
	// Select is a job to select at first.
	Select engine.ID

	// Open returns the command that opens a file in a pager or an editor. Nil: not available.
	Open func(path string, editor bool) (tea.ExecCommand, error)
	// Copy copies text to a clipboard and returns its name, such as "tmux's buffer". It is called
	// from a command. If it is nil or returns "", the terminal is asked to copy (OSC 52).
	Copy func(ctx context.Context, text string) (where string, err error)
	// Suspend stops the process, as Ctrl+Z does in a shell, and returns when it continues. Nil:
	// Bubble Tea does that.
	Suspend func()
	// Notify sets how the user is notified of jobs that need attention.
	Notify Notify
	// NoStatus disables reports to the terminal on what jobs do (OSC 7501). They are sent only to a terminal that
	// answers that it keeps them.
	NoStatus bool
	// NoMouse disables mouse events.
	NoMouse bool

	Input   io.Reader // nil: the terminal
	Output  io.Writer // nil: standard output
	Environ []string  // nil: the process's environment
	// Program has further options of the Bubble Tea program, such as [tea.WithFPS].
	Program []tea.ProgramOption
}

// leave returns what happens when the user leaves the foreground job. A job whose end ends the
// program belongs to the program: until it is left for good, nothing is recorded.
func (o *Options) leave() ui.Leave {
	switch {
	case o.ToShell:
		return ui.LeaveToHost
	case o.KeepEnded:
		return ui.LeaveAtOnce
	}
	return ui.LeaveLater
}

// Notify sets the means of notification for each event. Bells and notifications of a job count as
// Waiting.
type Notify struct{ Waiting, Failed, Finished Means }

// Means are ways to notify the user.
type Means struct {
	Bell    bool
	Desktop bool // OSC 99, 9 or 777, while the window has no focus
	Title   bool // a count in the window's title
}

func (n Notify) of(why ui.Why) Means {
	switch why {
	case ui.WhyFailed:
		return n.Failed
	case ui.WhyFinished:
		return n.Finished
	case ui.WhyWaiting, ui.WhyUnhealthy, ui.WhyBell, ui.WhyNote:
	}
	return n.Waiting
}

// Result is the outcome of an App.
type Result struct {
	// Ended is the foreground job, if it ended while it was in the foreground.
	Ended *engine.Job
	// Backgrounded is the job that was last sent to the background.
	Backgrounded engine.ID
	// Restarting lists jobs that are being stopped in order to be started again, which happens
	// unless the program exits first. Restarted waits for that and returns the failures.
	Restarting []engine.Job
	Restarted  func(ctx context.Context) error
	// Running is the number of jobs that keep running.
	Running int
	// Asked reports whether the terminal was queried for its primary device attributes, after all
	// other queries. Answered reports whether it has answered, so that no answers are pending.
	Asked, Answered bool
}

// leaveWithin limits how long an exit waits for hosts and disks.
const leaveWithin = 700 * time.Millisecond

// New returns a program for the jobs of eng.
func New(eng *engine.Engine, o Options) *App { return Around(ui.NewPane(eng, o.PaneOptions()...), o) }

// Around is New with a pane that was created with [Options.PaneOptions].
func Around(pane *ui.Pane, o Options) *App {
	return &App{pane: pane, o: o.withDefaults(), started: make(chan struct{}), ended: make(chan struct{})}
}

// PaneOptions returns the options of the program's pane.
func (o Options) PaneOptions() []ui.Option {
	o = o.withDefaults()
	opts := append([]ui.Option{ui.WithHeader(true), ui.WithTheme(o.Theme(darkBackground(o.Environ))), ui.WithGlyphs(*o.Glyphs)}, o.Pane...)
	return append(opts, ui.WithProgram(), ui.WithLeave(o.leave()))
}

func (o Options) withDefaults() Options {
	if o.Theme == nil {
		o.Theme = themes.Default
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Glyphs == nil {
		glyphs := themes.Unicode()
		o.Glyphs = &glyphs
	}
	return o
}

// darkBackground guesses the terminal's background from the environment, for the time before the
// terminal reports it. It is dark unless the second color of COLORFGBG is a light one of the 16
// colors.
func darkBackground(environ []string) bool {
	colors := variable(environ, "COLORFGBG")
	n, err := strconv.Atoi(colors[strings.LastIndexByte(colors, ';')+1:])
	if err != nil {
		return true
	}
	return n != 7 && n < 9 // white and the bright colors, except dark gray, are light
}

// Run shows the program until the user quits or ctx is done. It must be called only once. Jobs
// keep running afterwards. Run returns within a second of the request to quit, whatever a host or
// a disk does. The caller handles signals: a signal that should end the program cancels ctx.
func (a *App) Run(ctx context.Context) (Result, error) {
	running, stop := context.WithCancel(ctx)
	defer stop()
	w := newWindow(running, a)
	opts := []tea.ProgramOption{tea.WithoutSignalHandler(), tea.WithEnvironment(a.o.Environ), tea.WithFilter((&floodGate{now: time.Now}).filter)}
	if a.o.Input != nil {
		opts = append(opts, tea.WithInput(a.o.Input))
	}
	if a.o.Output != nil {
		opts = append(opts, tea.WithOutput(a.o.Output))
	}
	a.program = tea.NewProgram(w, append(opts, a.o.Program...)...)
	out := a.o.Output
	if out == nil {
		out = os.Stdout
	}
	_, _ = io.WriteString(out, termenv.PushTitle) // the program reports write errors itself
	over, cut := make(chan struct{}), make(chan bool, 1)
	go func() { cut <- a.quitAfter(ctx, over) }()
	_, err := a.program.Run()
	_, _ = io.WriteString(out, w.lastReport()+termenv.PopTitle)
	close(over)
	close(a.ended)
	if w.result.Ended == nil && w.result.Backgrounded == "" {
		w.result.Backgrounded, _ = a.pane.Leaving()
	}
	w.result.Running = a.pane.Running()
	w.result.Restarting, w.result.Restarted = a.pane.Restarting()
	w.result.Answered = w.quiet()

	closed := make(chan struct{})
	go func() { // has no owner on purpose: a blocked goroutine here must not delay the exit
		_ = a.pane.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(leaveWithin):
	}
	if <-cut && (err == nil || errors.Is(err, tea.ErrProgramKilled)) {
		err = ctx.Err()
	}
	return w.result, err
}

// quitAfter makes the program quit when ctx is done before the program is over, and reports
// whether that happened. It asks the program to quit: a Bubble Tea program whose own context ends
// closes the terminal while a goroutine still reads it.
func (a *App) quitAfter(ctx context.Context, over <-chan struct{}) bool {
	select {
	case <-over:
		return false
	case <-ctx.Done():
	}
	late := time.AfterFunc(leaveWithin, a.program.Kill)
	defer late.Stop()
	a.program.Quit()
	<-over
	return true
}

// ErrRefused is returned by [App.Ask] if the user gave no answer.
var ErrRefused = errors.New("no answer was given")

// Ask asks the user for a line of text, such as the passphrase of a key. It may be called from
// any goroutine except the program's own, also before Run.
func (a *App) Ask(ctx context.Context, title, text string, secret bool) (string, error) {
	return a.put(ctx, ui.AskMsg{Title: title, Text: text, Secret: secret})
}

// Confirm asks the user a yes-or-no question; yes describes what yes does ("Trust it"). No is
// preselected. Otherwise it is like Ask.
func (a *App) Confirm(ctx context.Context, title, text, yes string) (bool, error) {
	answer, err := a.put(ctx, ui.AskMsg{Title: title, Text: text, Confirm: yes})
	return answer == ui.AnswerYes, err
}

// put shows a question and waits for its answer.
func (a *App) put(ctx context.Context, question ui.AskMsg) (string, error) {
	select {
	case <-a.started:
	case <-a.ended:
		return "", ErrRefused
	case <-ctx.Done():
		return "", ctx.Err()
	}
	type reply struct {
		text string
		ok   bool
	}
	answer := make(chan reply, 1)
	question.Reply = func(text string, ok bool) { answer <- reply{text, ok} }
	a.program.Send(question)
	select {
	case r := <-answer:
		if !r.ok {
			return "", ErrRefused
		}
		return r.text, nil
	case <-a.ended:
		return "", ErrRefused
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
