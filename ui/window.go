package ui

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/termenv"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/toast"
)

// window is the model of an App: a pane as large as the terminal.
type window struct {
	app     *App
	pane    *Pane
	o       AppOptions
	once    sync.Once
	focused bool
	mouse   bool        // given back to the terminal
	told    []engine.ID // jobs that called for somebody within the last second
	result  Result
	leaving engine.ID // sent to the background, on the way to the shell
	last    tea.View  // of the job in the foreground

	asked   time.Time // when the terminal was asked last
	lending tea.Cmd   // gives the terminal away once it has answered

	unwatched unwatched

	dark    bool // the terminal's background, as far as is known
	profile colorprofile.Profile

	facts      engine.TerminalFacts
	seen       struct{ foreground, background bool }
	unanswered bool // the terminal has not answered in time
}

// dress gives the pane the theme in the colours that the terminal has.
func (w *window) dress() {
	glyphs := themes.Unicode()
	if w.o.Glyphs != nil {
		glyphs = *w.o.Glyphs
	}
	w.pane.SetTheme(w.o.Theme(w.dark).For(w.profile), glyphs)
}

type (
	// laterMsg runs in Update.
	laterMsg func() tea.Cmd
	// rangMsg ends the time in which nothing rings again.
	rangMsg struct{}
)

// after runs then in Update once d is over.
func (w *window) after(d time.Duration, then func() tea.Cmd) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return laterMsg(then) })
}

func (w *window) Init() tea.Cmd {
	w.asked = time.Now()
	cmds := []tea.Cmd{tea.RequestBackgroundColor, tea.RequestForegroundColor, w.pane.Init(), send(laterMsg(w.starting))}
	if w.o.Select != "" {
		cmds = append(cmds, w.pane.Select(w.o.Select))
	}
	if w.o.Foreground != "" {
		cmds = append(cmds, w.pane.Foreground(w.o.Foreground))
	}
	return tea.Batch(cmds...)
}

// starting is the first that the program does.
func (w *window) starting() tea.Cmd {
	w.once.Do(func() { close(w.app.started) })
	return w.lastAsk()
}

// lastAskAfter is how long after the start the terminal is asked what every
// terminal answers: by then all other questions have been put, so that this
// answer is the last.
const lastAskAfter = 50 * time.Millisecond

// answerWithin is how long after the last question what the terminal has answered counts
// as all that it answers. An answer that comes later counts as well.
const answerWithin = 200 * time.Millisecond

func (w *window) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := w.update(msg)
	return w, tea.Batch(cmd, w.paced(msg))
}

func (w *window) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case uv.PrimaryDeviceAttributesEvent, tea.ColorProfileMsg, tea.BackgroundColorMsg, tea.ForegroundColorMsg, tea.KeyboardEnhancementsMsg, tea.ModeReportMsg:
		return w.reported(msg)
	case laterMsg:
		return msg()
	case tea.WindowSizeMsg:
		return w.pane.SetSize(msg.Width, msg.Height)
	case tea.FocusMsg:
		w.setFocus(true)
		return nil
	case tea.BlurMsg:
		w.setFocus(false)
		return nil
	case tea.KeyPressMsg:
		w.setFocus(true) // terminals that report focus badly
		if w.homeward() && !keymap.Match(msg, w.pane.opts.keys.Terminal.Leave) {
			return tea.Batch(w.pane.unpark(), w.toShell(w.leaving)) // nothing is left to wait for
		}
		return w.pane.Update(msg)
	case tea.MouseMsg, tea.PasteMsg:
		if w.homeward() {
			return nil
		}
	case tea.ResumeMsg:
		return tea.Batch(tea.RequestWindowSize, w.ask())
	case suspendMsg:
		return w.suspend()
	case toggleMouseMsg:
		w.mouse = !w.mouse
		if w.mouse {
			back := w.pane.does(w.pane.opts.keys.Panes.ToggleMouse, "takes it back")
			return w.pane.say(toast.Info, with("the mouse is the terminal's now", ";", back))
		}
		return w.pane.say(toast.Info, "the mouse works in hob again")
	case CopyMsg:
		return w.copy(msg)
	case OpenMsg:
		return w.open(msg)
	case LeaveMsg:
		if end := w.pane.foreEnd; end != nil && w.result.Ended == nil {
			w.result.Ended, w.result.Backgrounded = end, ""
		}
		return tea.Quit
	case BackgroundedMsg, EndedMsg:
		return w.lifecycle(msg)
	case AttentionMsg:
		return w.notify(msg)
	case rangMsg:
		w.told = nil
		return nil
	}
	return w.pane.Update(msg)
}

// reported takes what the terminal reports of itself.
func (w *window) reported(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case uv.PrimaryDeviceAttributesEvent:
		w.result.Answered = true
		return tea.Batch(w.learned(), w.lend())
	case tea.ColorProfileMsg:
		w.profile = msg.Profile
		w.dress()
	case tea.BackgroundColorMsg:
		w.dark = msg.IsDark()
		w.dress()
		w.facts.Background, w.seen.background = termenv.RGB(msg.Color), true
		return w.learned()
	case tea.ForegroundColorMsg:
		w.facts.Foreground, w.seen.foreground = termenv.RGB(msg.Color), true
		return w.learned()
	case tea.KeyboardEnhancementsMsg:
		w.facts.KittyKeyboard = msg.SupportsKeyDisambiguation()
		return w.learned()
	case tea.ModeReportMsg:
		// Bubble Tea sets it in these cases.
		if msg.Mode == ansi.ModeUnicodeCore && (msg.Value == ansi.ModeSet || msg.Value == ansi.ModeReset || msg.Value == ansi.ModePermanentlySet) {
			w.pane.term.SetByCluster(true)
			w.pane.screen.SetByCluster(true)
			w.pane.dirty = true
		}
	}
	return nil
}

// learned hands on what the terminal reported of itself, once that is all, so that a job
// that asks gets the same answers.
func (w *window) learned() tea.Cmd {
	if !w.result.Answered && !w.unanswered {
		return nil
	}
	w.facts.HaveColors = w.seen.foreground && w.seen.background
	return w.pane.SetTerminalFacts(w.facts)
}

func (w *window) setFocus(on bool) {
	if on == w.focused {
		return
	}
	w.focused = on
	if on {
		w.pane.Focus()
	} else {
		w.pane.Blur()
	}
}

// shellLeave is how long the way back to the shell waits for a second leave key:
// longer than a double press takes, shorter than doubleLeave, because a person
// waits for the prompt.
const shellLeave = 250 * time.Millisecond

// lifecycle decides what the end or the backgrounding of a job means for the
// program.
func (w *window) lifecycle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case BackgroundedMsg:
		w.result.Backgrounded = msg.ID
		if !w.o.ToShell || msg.ID != w.o.Foreground {
			return nil
		}
		w.leaving = msg.ID
		if w.pane.late > 0 {
			return w.toShell(msg.ID)
		}
		// A second leave key that follows at once still goes back to the job.
		return w.after(shellLeave, func() tea.Cmd { return w.toShell(msg.ID) })
	case EndedMsg:
		if a := w.pane.attachment; a == nil || !a.fore || a.id != msg.Job.ID {
			return nil
		}
		job := msg.Job
		w.result.Ended, w.result.Backgrounded = &job, ""
		if !w.o.KeepEnded {
			return tea.Quit
		}
	}
	return nil
}

// toShell leaves if a job is still on its way to the background.
func (w *window) toShell(id engine.ID) tea.Cmd {
	if id == "" || w.leaving != id || w.pane.attachment != nil {
		return nil
	}
	return tea.Quit
}

// homeward reports whether the foreground job was just left for the shell. What is
// shown stays until then: neither the panes nor their keys are meant.
func (w *window) homeward() bool {
	a := w.pane.park
	return w.o.ToShell && !w.pane.stays && w.pane.attachment == nil && w.pane.over == nil && a != nil && a.fore && a.id == w.o.Foreground
}

func (w *window) copy(msg CopyMsg) tea.Cmd {
	if w.o.Copy == nil {
		return w.copied(msg, "", nil)
	}
	ctx, put := w.pane.ctx, w.o.Copy
	return func() tea.Msg {
		where, err := put(ctx, msg.Text)
		return laterMsg(func() tea.Cmd { return w.copied(msg, where, err) })
	}
}

// copied shows where to look for what was copied; where it is nowhere yet, the
// terminal is asked to take it, which it does not confirm.
func (w *window) copied(msg CopyMsg, where string, err error) tea.Cmd {
	if err != nil {
		return w.pane.toast(toast.Message{Level: toast.Error, Text: "not copied: " + cells.Clean(err.Error()), Key: "copied"})
	}
	var cmd tea.Cmd
	if where == "" {
		where, cmd = "the terminal's clipboard", tea.SetClipboard(msg.Text)
	}
	return tea.Batch(cmd, w.pane.toast(toast.Message{Text: "copied " + msg.What + " to " + where, Key: "copied"}))
}

func (w *window) open(msg OpenMsg) tea.Cmd {
	if w.o.Open == nil {
		return w.pane.refuse("there is nothing to open it with: set PAGER or EDITOR")
	}
	cmd, err := w.o.Open(msg.Path, msg.Editor)
	if err != nil {
		return w.pane.say(toast.Error, cells.Clean(err.Error()))
	}
	return w.onceAnswered(tea.Exec(&borrower{ExecCommand: cmd}, func(err error) tea.Msg {
		return laterMsg(func() tea.Cmd { return w.opened(err) })
	}))
}

// opened takes the terminal back from a pager or an editor.
func (w *window) opened(err error) tea.Cmd {
	if err != nil {
		return tea.Batch(w.ask(), w.pane.say(toast.Error, cells.Clean(err.Error())))
	}
	return w.ask()
}

// notify reaches for somebody who did not see what happened.
func (w *window) notify(msg AttentionMsg) tea.Cmd {
	var b strings.Builder
	means := w.o.Notify.of(msg.Why)
	// What rings without end is heard once a second, each job told of as often.
	if means.Bell && len(w.told) == 0 {
		b.WriteByte('\a')
	}
	if means.Desktop && !w.focused && !slices.Contains(w.told, msg.Job.ID) {
		_, text := w.pane.wording(msg.Job, msg.Why, msg.Note)
		b.WriteString(desktop(w.o.Environ, "hob", text))
	}
	if b.Len() == 0 {
		return nil
	}
	cmd := tea.Raw(b.String())
	if w.told = append(w.told, msg.Job.ID); len(w.told) > 1 {
		return cmd
	}
	return tea.Batch(cmd, tea.Tick(time.Second, func(time.Time) tea.Msg { return rangMsg{} }))
}

// desktop is the sequence with which the terminal shows a notification. Inside
// tmux it is wrapped so that tmux passes it on where it is allowed to.
func desktop(environ []string, title, text string) string {
	title, text = strings.ReplaceAll(cells.Clean(title), ";", ","), strings.ReplaceAll(cells.Clean(text), ";", ",")
	seq := "\x1b]9;" + title + ": " + text + "\a"
	if term := variable(environ, "TERM"); strings.HasPrefix(term, "rxvt") || strings.HasPrefix(term, "foot") {
		seq = "\x1b]777;notify;" + title + ";" + text + "\a"
	}
	if variable(environ, "TMUX") != "" {
		seq = "\x1bPtmux;" + strings.ReplaceAll(seq, "\x1b", "\x1b\x1b") + "\x1b\\"
	}
	return seq
}

func variable(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(environ[i], name+"="); ok {
			return value
		}
	}
	return ""
}

func (w *window) View() tea.View {
	if w.held() {
		return w.unwatched.shown
	}
	if w.homeward() {
		return w.last
	}
	v := tea.NewView(w.pane.View())
	v.AltScreen = true
	v.ReportFocus = true
	v.KeyboardEnhancements.ReportAlternateKeys = true
	if !w.o.NoMouse && !w.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if c := w.pane.Cursor(); c != nil {
		v.Cursor = c
	}
	theme := w.pane.opts.theme
	v.BackgroundColor, v.ForegroundColor = theme.Background(), nil
	if v.BackgroundColor != nil {
		v.ForegroundColor = theme.Foreground()
	}
	v.WindowTitle = w.title()
	v.ProgressBar = w.progress()
	if w.o.ToShell && w.pane.attachment != nil {
		w.last = v
	}
	w.unwatched.shown, w.unwatched.drawn, w.unwatched.due = v, true, false
	return v
}

// progress is that of the job that has the window.
func (w *window) progress() *tea.ProgressBar {
	a := w.pane.attachment
	if a == nil {
		return nil
	}
	j, ok := w.pane.jobs[a.id]
	if !ok || j.Progress == nil || j.Status.Finished() {
		return nil
	}
	state := tea.ProgressBarDefault
	switch j.Progress.State {
	case "error":
		state = tea.ProgressBarError
	case "indeterminate":
		state = tea.ProgressBarIndeterminate
	case "paused":
		state = tea.ProgressBarWarning
	}
	return tea.NewProgressBar(state, j.Progress.Percent)
}

// title names the job that has the window, else how jobs stand: which run, and
// what has ended that nobody has seen.
func (w *window) title() string {
	if a := w.pane.attachment; a != nil {
		if title := cells.Clean(w.pane.term.Title()); title != "" {
			return cells.End(title, 80, "…")
		}
		if j, ok := w.pane.jobs[a.id]; ok {
			return cells.End(cells.Clean(j.Name), 60, "…") + " - hob"
		}
		return "hob"
	}
	title := "hob"
	c, n := w.pane.counts(), w.o.Notify
	for _, part := range []struct {
		on   bool
		n    int
		word string
	}{
		{n.Waiting.Title, c.waiting, "waiting"},
		{n.Waiting.Title || n.Failed.Title || n.Finished.Title, c.running - c.waiting, "running"},
		{n.Failed.Title, c.unseenFailed, "failed"},
		{n.Finished.Title, c.unseenDone, "done"},
	} {
		if part.on && part.n > 0 {
			title += " - " + strconv.Itoa(part.n) + " " + part.word
		}
	}
	return title
}
