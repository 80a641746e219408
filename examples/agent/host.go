package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui"
)

// host is the program: a transcript, a prompt, and hob's pane below them.
type host struct {
	eng     *engine.Engine
	agent   *agent
	pane    *ui.Pane
	prompt  textinput.Model
	talk    *transcript
	dialogs []*dialog // questions of jobs, oldest first

	w, h       int
	share      int  // rows of the pane
	hidden     bool // whether the pane is hidden
	busy       bool // whether the model is working
	now        time.Time
	foreground engine.ID // job of the call in the foreground
	notice     string    // message in the status line
}

type (
	clockMsg  time.Time
	failedMsg struct{ err error }
)

func newHost(eng *engine.Engine, a *agent, pane *ui.Pane) *host {
	pane.Blur()
	h := &host{eng: eng, agent: a, pane: pane, prompt: newInput(), talk: newTranscript(), share: 14, now: time.Now()}
	h.prompt.Focus()
	h.talk.note("Ask for something, such as: get the shop running")
	return h
}

func (h *host) Init() tea.Cmd { return tea.Batch(h.pane.Init(), tick()) }

// tick updates the clock.
func tick() tea.Cmd { return tea.Every(time.Second, func(t time.Time) tea.Msg { return clockMsg(t) }) }

func (h *host) Update(msg tea.Msg) (tea.Model, tea.Cmd) { return h, h.update(msg) }

func (h *host) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		h.w, h.h = msg.Width, msg.Height
		return h.arrange()
	case tea.KeyPressMsg:
		return h.press(msg)
	case tea.PasteMsg:
		if !h.pane.Focused() {
			return h.edit(msg)
		}
	case tea.MouseClickMsg:
		h.focus(h.paneRows() > 0 && msg.Y >= h.paneTop())
	case tea.MouseWheelMsg:
		if msg.Y < h.paneTop() {
			return h.scroll(msg)
		}
	case clockMsg:
		h.now = time.Time(msg)
		return tick()
	case failedMsg:
		h.notice = msg.err.Error()
	case ui.LeaveMsg: // q, at the top of the pane
		h.focus(false)
	case ui.AttentionMsg:
		if h.talk.find(msg.Job.ID).background || msg.Why == ui.WhyWaiting { // the model itself handles the end of a foreground job
			h.notice = fmt.Sprintf("%s: %s", msg.Job.Name, msg.Why)
		}
	case ui.CopyMsg:
		return tea.SetClipboard(msg.Text)
	case ui.OpenMsg:
		return open(msg)
	default:
		if cmd := h.handleEvent(msg); cmd != nil {
			return cmd
		}
	}
	return h.pane.Update(msg) // the pane ignores unrelated messages
}

// handleEvent adds an event of the agent to the transcript.
func (h *host) handleEvent(event any) tea.Cmd {
	switch e := event.(type) {
	case messageEvent:
		h.talk.add(row{text: e.text})
	case startedEvent:
		h.foreground, h.notice = e.job.ID, "" // an earlier notice is outdated
		h.talk.add(row{call: &call{job: e.job}})
		return h.pane.Select(e.job.ID)
	case returnedEvent:
		h.returned(e)
	case endedEvent:
		c := h.talk.find(e.id)
		c.job.Status, c.job.Exit = e.exit.Status, e.exit
		h.talk.note(fmt.Sprintf("%s ended in the background: %s", c.job.Name, c.job.Ending()))
	case questionEvent:
		h.asked(e)
	case turnOverEvent:
		h.busy = false
	}
	return nil
}

func (h *host) returned(e returnedEvent) {
	if h.foreground == e.id {
		h.foreground = ""
	}
	c := h.talk.find(e.id)
	if e.err != nil {
		c.failed = e.err.Error()
		return
	}
	if c.job, c.background = e.result.Job, e.result.Backgrounded; c.background {
		h.talk.note(fmt.Sprintf("running in the background as %s", e.id))
	}
}

// press passes a key to the pane or the prompt, whichever has the focus. While the pane captures
// keys, the host's own keys go to it too.
func (h *host) press(msg tea.KeyPressMsg) tea.Cmd {
	if h.pane.Focused() && h.pane.CapturesKeys() {
		return h.pane.Update(msg)
	}
	h.notice = ""
	switch msg.String() {
	case "ctrl+t":
		h.hidden = !h.hidden
		h.focus(h.pane.Focused() && !h.hidden)
		return h.arrange()
	case "ctrl+up":
		h.share++
		return h.arrange()
	case "ctrl+down":
		h.share--
		return h.arrange()
	}
	if h.pane.Focused() {
		return h.pane.Update(msg)
	}
	switch msg.String() {
	case "ctrl+c":
		return tea.Quit
	case "ctrl+b":
		return h.background()
	case "tab":
		h.hidden = false
		h.focus(true)
		return h.arrange()
	case "pgup", "pgdown":
		return h.scroll(msg)
	}
	if d := h.dialog(); d != nil {
		return h.pressDialog(d, msg)
	}
	if msg.String() == "enter" {
		h.enter()
		return nil
	}
	return h.edit(msg)
}

// scroll scrolls the transcript.
func (h *host) scroll(msg tea.Msg) (cmd tea.Cmd) {
	h.talk.port, cmd = h.talk.port.Update(msg)
	return cmd
}

// edit passes a message to the line of text that is being edited.
func (h *host) edit(msg tea.Msg) (cmd tea.Cmd) {
	input := &h.prompt
	if d := h.dialog(); d != nil {
		input = &d.input
	}
	*input, cmd = input.Update(msg)
	return cmd
}

// enter sends the prompt.
func (h *host) enter() {
	text := strings.TrimSpace(h.prompt.Value())
	switch {
	case text == "":
		return
	case h.busy:
		h.notice = "The model is still working. Ctrl+B sends its command to the background."
		return
	}
	h.prompt.Reset()
	h.talk.you(text)
	h.busy = true
	h.agent.answer()
}

// background sends the foreground call to the background: its Run returns at once and the model
// continues.
func (h *host) background() tea.Cmd {
	if h.foreground == "" {
		h.notice = "No command is in the foreground."
		return nil
	}
	id := h.foreground
	return failing(func() error { return h.eng.Background(id) })
}

// failing returns a command that shows the error of f in the status line.
func failing(f func() error) tea.Cmd {
	return func() tea.Msg {
		if err := f(); err != nil {
			return failedMsg{err}
		}
		return nil
	}
}

// open shows a file in the pager or the editor.
func open(msg ui.OpenMsg) tea.Cmd {
	program := cmp.Or(os.Getenv("PAGER"), "less -R")
	if msg.Editor {
		program = cmp.Or(os.Getenv("EDITOR"), "vi")
	}
	cmd := exec.CommandContext(context.Background(), "sh", "-c", program+` "$0"`, msg.Path)
	return tea.ExecProcess(cmd, func(err error) tea.Msg { return failing(func() error { return err })() })
}

// focus moves the keyboard focus to the pane, or back to the prompt.
func (h *host) focus(pane bool) {
	if pane {
		h.pane.Focus()
	} else {
		h.pane.Blur()
	}
}

// minTranscript is the minimum number of rows for the transcript, the prompt and the status line.
const minTranscript = 5

// paneRows returns the current height of the pane.
func (h *host) paneRows() int {
	_, least := h.pane.MinSize()
	h.share = max(least, min(h.share, h.h-minTranscript))
	if h.hidden || h.h < least+minTranscript {
		return 0
	}
	return h.share
}

func (h *host) paneTop() int { return h.h - h.paneRows() }

// arrange sets the position and size of the pane. A hidden pane has no size: it neither draws nor
// ticks, but still receives events.
func (h *host) arrange() tea.Cmd {
	h.pane.SetOrigin(0, h.paneTop())
	return h.pane.SetSize(h.w, h.paneRows())
}

func (h *host) View() tea.View {
	var v tea.View
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "agent"
	rows := h.paneTop() - 2
	if h.w == 0 || rows < 1 {
		return v
	}
	h.prompt.SetWidth(max(1, h.w-len(h.prompt.Prompt)-1))
	input := h.prompt.View()
	if d := h.dialog(); d != nil {
		input = d.view(h.w, rows)
		rows -= lipgloss.Height(input) - 1
	}
	lines := []string{h.talk.view(h.w, rows, h.now), input, h.status()}
	if h.paneRows() > 0 {
		lines = append(lines, h.pane.View())
		if v.Cursor = h.pane.Cursor(); v.Cursor != nil {
			v.Cursor.Y += h.paneTop()
		}
	}
	v.Content = strings.Join(lines, "\n")
	return v
}

// status returns the line between the prompt and the pane, with a notice and the host's own keys.
func (h *host) status() string {
	keys := "Tab jobs · PgUp PgDn scroll · Ctrl+T hide or show · Ctrl+↑↓ size · Ctrl+C quit"
	switch {
	case h.pane.Focused() && h.pane.CapturesKeys():
		keys = ""
	case h.pane.Focused():
		keys = "q back to the prompt · Ctrl+T hide · Ctrl+↑↓ size"
	case h.dialog() != nil:
		keys = "Enter answer · Esc leave it to the terminal · Tab jobs"
	case h.foreground != "":
		keys = "Ctrl+B background · Tab jobs"
	}
	line := " " + keys
	switch {
	case h.notice != "":
		line = " " + h.notice + " ·" + line
	case h.busy:
		line = " working … ·" + line
	}
	return faint.Width(h.w).Render(ansi.Truncate(line, h.w, "…"))
}
