package program

import (
	"context"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/termenv"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui"
	"github.com/hobjobs/hob/ui/components/later"
)

// window is the model of an App: a pane as large as the terminal.
type window struct {
	*App
	// ctx is done when the program ends. It is stored because commands outlive the calls that
	// create them.
	ctx     context.Context
	focused bool
	mouse   bool        // mouse events are disabled
	rang    []engine.ID // jobs that rang within the last second
	result  Result
	shown   tea.View // last view

	asked       time.Time // when the terminal was last queried
	afterAnswer tea.Cmd   // command that gives the terminal away once it has answered

	unwatched unwatched
	status    status
	// kittyNotes means that the terminal understands OSC 99.
	kittyNotes bool

	dark    bool // whether the terminal's background is dark, as far as known
	theme   themes.Theme
	profile colorprofile.Profile

	facts      engine.TerminalFacts
	seen       struct{ foreground, background bool }
	unanswered bool // the terminal has not answered in time
}

func newWindow(ctx context.Context, a *App) *window {
	w := &window{App: a, ctx: ctx, focused: true, dark: darkBackground(a.o.Environ), profile: colorprofile.TrueColor}
	w.theme = w.o.Theme(w.dark)
	return w
}

// applyTheme sets the pane's theme according to the terminal's colors.
func (w *window) applyTheme() {
	w.theme = w.o.Theme(w.dark).For(w.profile)
	w.pane.SetTheme(w.theme, *w.o.Glyphs)
}

// after runs then in Update after d.
func (w *window) after(d time.Duration, then func() tea.Cmd) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return later.Msg(then) })
}

func (w *window) Init() tea.Cmd {
	w.asked = time.Now()
	starting := func() tea.Msg { return later.Msg(w.starting) }
	cmds := []tea.Cmd{tea.RequestBackgroundColor, tea.RequestForegroundColor, w.askForStatus(), askForNotifications, w.pane.Init(), starting}
	if w.o.Select != "" {
		cmds = append(cmds, w.pane.Select(w.o.Select))
	}
	if w.o.Foreground != "" {
		cmds = append(cmds, w.pane.Foreground(w.o.Foreground))
	}
	if w.o.Replay != "" {
		cmds = append(cmds, w.pane.Replay(w.o.Replay))
	}
	return tea.Batch(cmds...)
}

// starting returns the program's first command.
func (w *window) starting() tea.Cmd {
	close(w.started)
	return w.lastAsk()
}

// lastAskAfter is the delay before the last query, which every terminal answers: all other
// queries have been sent by then, so its answer is the last.
const lastAskAfter = 50 * time.Millisecond

func (w *window) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := w.update(msg)
	return w, tea.Batch(cmd, w.paced(msg), w.reportSoon(w.pane.Changed()), w.repeatProgress())
}

func (w *window) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case uv.PrimaryDeviceAttributesEvent, tea.ColorProfileMsg, tea.BackgroundColorMsg, tea.ForegroundColorMsg, tea.KeyboardEnhancementsMsg, tea.ModeReportMsg, tea.ProgramStatusSupportMsg, uv.UnknownOscEvent:
		return w.reported(msg)
	case later.Msg:
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
		w.setFocus(true) // for terminals that do not report focus reliably
	case tea.ResumeMsg:
		return tea.Batch(tea.RequestWindowSize, w.ask())
	case ui.SuspendMsg:
		return w.suspend()
	case ui.ToggleMouseMsg:
		w.mouse = !w.mouse
		return w.pane.ShowMouse(!w.mouse)
	case ui.CopyMsg:
		return w.copy(msg)
	case ui.OpenMsg:
		return w.open(msg)
	case ui.ReplayedMsg:
		if w.o.Replay == msg.ID {
			return w.update(ui.LeaveMsg{})
		}
	case ui.LeaveMsg:
		if msg.Ended != nil && w.result.Ended == nil {
			w.result.Ended, w.result.Backgrounded = msg.Ended, ""
		}
		return tea.Quit
	case ui.BackgroundedMsg, ui.EndedMsg:
		return w.lifecycle(msg)
	case ui.AttentionMsg:
		return w.notify(msg)
	}
	return w.pane.Update(msg)
}

// reported handles reports of the terminal about itself.
func (w *window) reported(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case uv.PrimaryDeviceAttributesEvent:
		w.result.Answered = true
		return tea.Batch(w.learned(), w.handOver())
	case uv.UnknownOscEvent:
		w.kittyNotes = w.kittyNotes || strings.HasPrefix(string(msg), notificationAnswer)
	case tea.ProgramStatusSupportMsg:
		w.status.answered = !w.o.NoStatus
		return w.reportSoon(true)
	case tea.ColorProfileMsg:
		w.profile = msg.Profile
		w.applyTheme()
	case tea.BackgroundColorMsg:
		w.dark = msg.IsDark()
		w.applyTheme()
		w.facts.Background, w.seen.background = termenv.RGB(msg.Color), true
		return w.learned()
	case tea.ForegroundColorMsg:
		w.facts.Foreground, w.seen.foreground = termenv.RGB(msg.Color), true
		return w.learned()
	case tea.KeyboardEnhancementsMsg:
		w.facts.KittyKeyboard = msg.SupportsKeyDisambiguation()
		return w.learned()
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeUnicodeCore && enabledByBubbleTea(msg.Value) {
			w.pane.SetByCluster(true)
		}
	}
	return nil
}

// enabledByBubbleTea reports whether Bubble Tea enables a mode of which the terminal reports this.
func enabledByBubbleTea(s ansi.ModeSetting) bool {
	switch s {
	case ansi.ModeSet, ansi.ModeReset, ansi.ModePermanentlySet:
		return true
	}
	return false
}

// learned passes the terminal's properties to the pane once they are complete, so that queries of
// jobs get the same answers.
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

// lifecycle handles the end or the backgrounding of a job in the program.
func (w *window) lifecycle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case ui.BackgroundedMsg:
		w.result.Backgrounded = msg.ID
		if _, returned := w.pane.Attached(); returned || !w.o.ToShell || msg.ID != w.o.Foreground {
			return nil
		}
		return tea.Quit
	case ui.EndedMsg:
		if a, _ := w.pane.Attached(); !a.Foreground || a.Job.ID != msg.Job.ID {
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

func (w *window) View() tea.View {
	if w.held() {
		return w.shown
	}
	if _, toShell := w.pane.Leaving(); toShell { // the panes will not be shown
		return w.shown
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
	v.BackgroundColor, v.ForegroundColor = w.theme.Background(), nil
	if v.BackgroundColor != nil {
		v.ForegroundColor = w.theme.Foreground()
	}
	v.WindowTitle = w.title()
	v.ProgressBar = w.progress()
	w.shown, w.unwatched.due = v, false
	return v
}

func (w *window) progress() *tea.ProgressBar {
	a, _ := w.pane.Attached()
	j := a.Job
	if j.Progress == nil || j.Status.Finished() {
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

// title returns the window title: the attached job's, or the counts of running and of unseen
// finished jobs.
func (w *window) title() string {
	if a, ok := w.pane.Attached(); ok {
		if title := cells.Clean(a.Title); title != "" {
			return cells.Truncate(title, 80, "…")
		}
		if name := cells.Clean(a.Job.Name); name != "" {
			return cells.Truncate(name, 60, "…") + " - hob"
		}
		return "hob"
	}
	return w.o.Notify.title(w.pane.Counts())
}

// title returns the title with the counts that the user wants there.
func (n Notify) title(c ui.Counts) string {
	var parts []string
	needs := "need input"
	if c.Waiting == 1 {
		needs = "needs input"
	}
	for _, part := range []struct {
		on   bool
		n    int
		word string
	}{
		{n.Waiting.Title, c.Waiting, needs},
		{n.Failed.Title, c.Unhealthy, "unhealthy"},
		{n.Waiting.Title || n.Failed.Title || n.Finished.Title, c.OnlyRunning(), "running"},
		{n.Failed.Title, c.Failed, "failed"},
		{n.Finished.Title, c.UnseenDone, "done"},
	} {
		if part.on && part.n > 0 {
			parts = append(parts, strconv.Itoa(part.n)+" "+part.word)
		}
	}
	if len(parts) == 0 {
		return "hob"
	}
	return "hob: " + strings.Join(parts, ", ")
}

// unwatchedEvery is the minimum time between two frames of a window without focus.
const unwatchedEvery = 100 * time.Millisecond

// unwatched paces a window without focus: changes of jobs are drawn a few times a second, the
// user's actions at once.
type unwatched struct {
	round bool // the next round is scheduled
	due   bool // draw the current state
}

// paced decides whether the change by msg is drawn now or in the next round, which the returned
// command schedules.
func (w *window) paced(msg tea.Msg) tea.Cmd {
	u := &w.unwatched
	switch msg.(type) {
	case tea.KeyMsg, tea.MouseMsg, tea.PasteMsg, tea.WindowSizeMsg, tea.FocusMsg, tea.BlurMsg, tea.ResumeMsg:
		u.due = true
		return nil
	}
	if w.focused || u.round || !w.pane.Changed() {
		return nil
	}
	u.due, u.round = true, true
	return w.after(unwatchedEvery, func() tea.Cmd {
		u.round = false
		return nil
	})
}

// held reports whether the last view is kept until the next round.
func (w *window) held() bool {
	if w.focused || w.unwatched.due {
		return false
	}
	return w.unwatched.round && w.pane.Changed()
}

// The largest window that is drawn, in columns, lines and cells. Drawing keeps two copies of the screen
// with over a hundred bytes for each cell, of the largest size that the window has had. The whole of a
// 4K display with the smallest fonts has fewer cells.
const (
	maxColumns = 640
	maxLines   = 400
	maxCells   = 1 << 17
)

// drawnSize returns the part of a window that is drawn.
func drawnSize(m tea.WindowSizeMsg) tea.WindowSizeMsg {
	m.Width = min(m.Width, maxColumns)
	m.Height = min(m.Height, maxLines, maxCells/max(m.Width, 1))
	return m
}

// floodGate drops excess wheel and motion events so that they do not delay keys: at most one of
// each passes per frame. It bounds the size of the window.
type floodGate struct {
	now    func() time.Time
	wheel  time.Time
	motion time.Time
}

const frameTime = 15 * time.Millisecond

func (g *floodGate) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	last := &g.motion
	switch m := msg.(type) {
	case tea.WindowSizeMsg:
		return drawnSize(m)
	case tea.MouseWheelMsg:
		last = &g.wheel
	case tea.MouseMotionMsg:
	default:
		return msg
	}
	now := g.now()
	if now.Sub(*last) < frameTime {
		return nil
	}
	*last = now
	return msg
}
