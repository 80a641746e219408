package ui

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/termenv"
	"github.com/hobjobs/hob/themes"
)

// App is the program around a pane: it owns the terminal.
type App struct {
	pane    *Pane
	o       AppOptions
	started chan struct{} // closed when the program takes messages
	ended   chan struct{} // closed when it takes none any more
	program *tea.Program
	extra   []tea.ProgramOption // of tests
}

// AppOptions tunes an App. The zero value opens the panes on all jobs.
type AppOptions struct {
	// Pane is passed on to the pane.
	Pane []Option
	// Theme chooses the theme once the terminal has said whether its background
	// is dark (default: [themes.Default]).
	Theme func(isDark bool) themes.Theme
	// Glyphs are the signs to draw with (default: [themes.Unicode]).
	Glyphs *themes.Glyphs

	// Foreground begins with this job in the whole window.
	Foreground engine.ID
	// ToShell leaves when the foreground job is sent to the background, instead
	// of showing the panes.
	ToShell bool
	// KeepEnded keeps the last screen of the foreground job until Enter; else
	// its end ends the program.
	KeepEnded bool
	// Select begins with this job selected.
	Select engine.ID

	// Open makes the command that shows a file in a pager or an editor. Nil:
	// there is none.
	Open func(path string, editor bool) (tea.ExecCommand, error)
	// Copy puts text on the clipboard, and says where that is: "tmux's buffer". It
	// is called from a command. Nil, or where it says nothing: the terminal is
	// asked to (OSC 52).
	Copy func(ctx context.Context, text string) (where string, err error)
	// Suspend stops the process as Ctrl+Z does in a shell, and returns when it goes on.
	// Nil: Bubble Tea does that.
	Suspend func()
	// Notify says how to reach somebody who is not looking.
	Notify Notify
	// NoMouse leaves the mouse to the terminal.
	NoMouse bool

	Input   io.Reader // nil: the terminal
	Output  io.Writer // nil: standard output
	Environ []string  // nil: the process's
}

// Notify says which ways of asking for attention are used for what. Bells and
// notes that a job sends itself count as Waiting.
type Notify struct{ Waiting, Failed, Finished Means }

// Means are ways to reach somebody who is not looking.
type Means struct {
	Bell    bool
	Desktop bool // OSC 9 or 777, while the window has not the focus
	Title   bool // a count in the window's title
}

func (n Notify) of(why Why) Means {
	switch why {
	case WhyFailed:
		return n.Failed
	case WhyFinished:
		return n.Finished
	case WhyWaiting, WhyBell, WhyNote:
	}
	return n.Waiting
}

// Result says how an App ended.
type Result struct {
	// Ended is the foreground job, if it ended while it was in the foreground.
	Ended *engine.Job
	// Backgrounded is the job that was sent to the background, the last of them.
	Backgrounded engine.ID
	// Running is how many jobs keep running.
	Running int
	// Asked says that the terminal was asked for its primary device attributes,
	// after all other questions, and Answered that it has answered: nothing of all
	// that can still come.
	Asked, Answered bool
}

// leaveWithin bounds what leaving waits for: hosts and disks may take longer.
const leaveWithin = 700 * time.Millisecond

// NewApp returns a program on the jobs of eng.
func NewApp(eng *engine.Engine, o AppOptions) *App { return newApp(realEngine{eng}, o) }

func newApp(eng jobEngine, o AppOptions) *App {
	if o.Theme == nil {
		o.Theme = themes.Default
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	glyphs := themes.Unicode()
	if o.Glyphs != nil {
		glyphs = *o.Glyphs
	}
	opts := append([]Option{WithHeader(true), WithTheme(o.Theme(darkBackground(o.Environ))), WithGlyphs(glyphs)}, o.Pane...)
	opts = append(opts, withProgram(), func(p *options) { p.toShell = o.ToShell })
	return &App{pane: newPane(eng, opts...), o: o, started: make(chan struct{}), ended: make(chan struct{})}
}

// darkBackground is what the environment says of the terminal's background,
// until the terminal says it or if it never does: dark, unless the second colour
// of COLORFGBG is a light one of the sixteen.
func darkBackground(environ []string) bool {
	for _, v := range environ {
		if colors, ok := strings.CutPrefix(v, "COLORFGBG="); ok {
			background := colors[strings.LastIndexByte(colors, ';')+1:]
			n, err := strconv.Atoi(background)
			return err != nil || n != 7 && n < 9 // white and the bright half, without dark grey
		}
	}
	return true
}

// Run shows the program until the person leaves or ctx is done. Jobs go on
// afterwards. It is called once. It returns within a second of the wish to leave,
// whatever a host or a disk does. Signals are the caller's: one that is to end the
// program ends ctx.
func (a *App) Run(ctx context.Context) (Result, error) {
	w := &window{app: a, pane: a.pane, o: a.o, focused: true, dark: darkBackground(a.o.Environ), profile: colorprofile.TrueColor}
	opts := []tea.ProgramOption{tea.WithoutSignalHandler(), tea.WithEnvironment(a.o.Environ), tea.WithFilter(newFloodGate(time.Now).filter)}
	if a.o.Input != nil {
		opts = append(opts, tea.WithInput(a.o.Input))
	}
	if a.o.Output != nil {
		opts = append(opts, tea.WithOutput(a.o.Output))
	}
	if a.o.Foreground != "" && !a.o.KeepEnded {
		if a.pane.late = doubleLeave; a.o.ToShell {
			a.pane.late = shellLeave
		}
	}
	a.program = tea.NewProgram(w, append(opts, a.extra...)...)
	out := a.o.Output
	if out == nil {
		out = os.Stdout
	}
	_, _ = io.WriteString(out, termenv.PushTitle) // the program itself reports what it cannot write
	over, cut := make(chan struct{}), make(chan bool, 1)
	go func() { cut <- a.quitAfter(ctx, over) }()
	_, err := a.program.Run()
	_, _ = io.WriteString(out, termenv.PopTitle)
	close(over)
	close(a.ended)
	if w.result.Ended == nil && w.result.Backgrounded == "" {
		w.result.Backgrounded = a.pane.went
	}
	w.result.Running = a.pane.Running()
	w.result.Answered = w.quiet()

	closed := make(chan struct{})
	go func() { // owned by no one on purpose: what hangs here may not hold up leaving
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

// quitAfter has the program quit when ctx is done before the program is over, and
// reports whether that was so. It is asked first: a Bubble Tea program that is
// killed, as it is by the end of its own context, closes the terminal under the
// goroutine that still reads it.
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

// ErrRefused is returned by [App.Ask] when the person gave no answer.
var ErrRefused = errors.New("no answer was given")

// Ask asks the person for a line of text, such as the passphrase of a key, in a
// box with the title of who asks. It may be called from any goroutine but the
// program's own, also before Run.
func (a *App) Ask(ctx context.Context, title, text string, secret bool) (string, error) {
	return a.put(ctx, AskMsg{Title: title, Text: text, Secret: secret})
}

// Confirm asks the person for yes, which does what that says ("Trust it"), or no,
// which is the answer that is marked. Else it is as Ask.
func (a *App) Confirm(ctx context.Context, title, text, yes string) (bool, error) {
	answer, err := a.put(ctx, AskMsg{Title: title, Text: text, Confirm: yes})
	return answer == answerYes, err
}

// put puts a question and waits for its answer.
func (a *App) put(ctx context.Context, question AskMsg) (string, error) {
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
