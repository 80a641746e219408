package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

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
	ticking    bool
	now        time.Time
	foreground engine.ID // job of the call in the foreground
	notice     string    // message in the status line
}

type (
	clockMsg time.Time
	// eventMsg has an event of the agent.
	eventMsg struct{ event any }
	// tailMsg has the last output lines of the foreground call.
	tailMsg struct {
		id    engine.ID
		lines []string
	}
	failedMsg struct{ err error }
)

func newHost(eng *engine.Engine, a *agent, pane *ui.Pane) *host {
	pane.Blur()
	h := &host{eng: eng, agent: a, pane: pane, prompt: newInput(), talk: newTranscript(), share: 14, now: time.Now()}
	h.prompt.Focus()
	h.talk.add(row{kind: rowNote, text: "Ask for something, such as: get the shop running"})
	return h
}

func (h *host) Init() tea.Cmd {
	return tea.Batch(h.pane.Init(), h.listen())
}

// listen waits for the agent's next event. At most one such command runs at a time.
func (h *host) listen() tea.Cmd {
	events, ctx := h.agent.events, h.agent.ctx
	return func() tea.Msg {
		select {
		case event := <-events:
			return eventMsg{event}
		case <-ctx.Done():
			return nil
		}
	}
}

func (h *host) Update(msg tea.Msg) (tea.Model, tea.Cmd) { return h, h.update(msg) }

func (h *host) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		h.w, h.h = msg.Width, msg.Height
		return h.arrange()
	case tea.KeyPressMsg:
		return h.press(msg)
	case tea.MouseClickMsg:
		h.focus(h.paneRows() > 0 && msg.Y >= h.paneTop())
		return h.pane.Update(msg)
	case tea.MouseWheelMsg:
		if msg.Y < h.paneTop() {
			h.wheel(msg)
			return nil
		}
	case eventMsg:
		return tea.Batch(h.handleEvent(msg.event), h.listen(), h.tick())
	case clockMsg:
		h.ticking, h.now = false, time.Time(msg)
		return tea.Batch(h.tick(), h.readTail(h.foreground))
	case tailMsg:
		if c := h.talk.find(msg.id); !c.background {
			c.tail = msg.lines
		}
		return nil
	case failedMsg:
		h.notice = msg.err.Error()
		return nil
	case ui.LeaveMsg: // q, at the top of the pane
		h.focus(false)
		return nil
	case ui.BackgroundedMsg, ui.EndedMsg:
		return nil // the agent gets both from the engine
	case ui.AttentionMsg:
		if h.talk.find(msg.Job.ID).background || msg.Why == ui.WhyWaiting { // the model itself handles the end of a foreground job
			h.notice = fmt.Sprintf("%s: %s", msg.Job.Name, msg.Why)
		}
		return nil
	case ui.CopyMsg:
		return tea.SetClipboard(msg.Text)
	case ui.OpenMsg:
		return open(msg)
	case tea.PasteMsg:
		if !h.pane.Focused() {
			return h.edit(msg)
		}
	}
	return h.pane.Update(msg) // the pane ignores unrelated messages
}

// wheel scrolls the transcript.
func (h *host) wheel(msg tea.MouseWheelMsg) {
	switch msg.Button {
	case tea.MouseWheelUp:
		h.talk.port.ScrollUp(3)
	case tea.MouseWheelDown:
		h.talk.port.ScrollDown(3)
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
	if cmd, ok := h.pressDialog(msg); ok {
		return cmd
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
	case "pgup":
		h.talk.port.HalfPageUp()
		return nil
	case "pgdown":
		h.talk.port.HalfPageDown()
		return nil
	case "esc":
		h.talk.toEnd()
		return nil
	case "enter":
		return h.enter()
	}
	return h.edit(msg)
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
func (h *host) enter() tea.Cmd {
	text := strings.TrimSpace(h.prompt.Value())
	switch {
	case text == "":
		return nil
	case h.busy:
		h.notice = "The model is still working. Ctrl+B sends its command to the background."
		return nil
	}
	h.prompt.Reset()
	h.talk.toEnd()
	h.talk.add(row{kind: rowYou, text: text})
	h.busy, h.notice = true, ""
	h.agent.answer()
	return h.tick()
}

// background sends the foreground call to the background: its Run returns at once and the model
// continues.
func (h *host) background() tea.Cmd {
	if h.foreground == "" {
		h.notice = "No command is in the foreground."
		return nil
	}
	eng, id := h.eng, h.foreground
	return func() tea.Msg {
		if err := eng.Background(id); err != nil {
			return failedMsg{err}
		}
		return nil
	}
}

// focus moves the keyboard focus to the pane, or back to the prompt.
func (h *host) focus(pane bool) {
	if pane {
		h.pane.Focus()
	} else {
		h.pane.Blur()
	}
}

// handleEvent adds an event of the agent to the transcript.
func (h *host) handleEvent(event any) tea.Cmd {
	switch e := event.(type) {
	case messageEvent:
		h.talk.add(row{kind: rowModel, text: e.text})
	case startedEvent:
		h.foreground, h.notice = e.job.ID, "" // an earlier notice is outdated
		h.talk.add(row{kind: rowCall, call: &call{job: e.job}})
		return h.pane.Select(e.job.ID)
	case returnedEvent:
		return h.returned(e)
	case endedEvent:
		c := h.talk.find(e.id)
		c.job.Status, c.job.Exit = e.exit.Status, e.exit
		h.talk.add(row{kind: rowNote, text: fmt.Sprintf("%s ended in the background: %s", c.job.Name, c.job.Ending())})
	case questionEvent:
		h.asked(e)
	case turnOverEvent:
		h.busy = false
	}
	return nil
}

func (h *host) returned(e returnedEvent) tea.Cmd {
	if h.foreground == e.id {
		h.foreground = ""
	}
	c := h.talk.find(e.id)
	switch {
	case e.err != nil:
		c.failed = e.err.Error()
	case e.result.Backgrounded:
		c.job, c.background, c.tail = e.result.Job, true, nil
		h.talk.add(row{kind: rowNote, text: fmt.Sprintf("running in the background as %s", e.id)})
	default:
		c.job = e.result.Job
		return h.readTail(e.id)
	}
	return nil
}

// tick updates the clock while something is running.
func (h *host) tick() tea.Cmd {
	if h.ticking || !h.busy && h.pane.Running() == 0 {
		return nil
	}
	h.ticking = true
	return tea.Tick(time.Second/4, func(t time.Time) tea.Msg { return clockMsg(t) })
}

const tailLines = 4

// readTail reads the last output lines of a job.
func (h *host) readTail(id engine.ID) tea.Cmd {
	if id == "" {
		return nil
	}
	eng, ctx := h.eng, h.agent.ctx
	return func() tea.Msg {
		log, err := eng.OpenLog(ctx, id, engine.StreamOutput)
		if err != nil {
			return failedMsg{err}
		}
		defer log.Close()
		tail := tailMsg{id: id}
		for line, err := range log.Lines(ctx, engine.Query{Last: true, Limit: tailLines}) {
			if err != nil {
				return failedMsg{err}
			}
			tail.lines = append(tail.lines, line.Text)
		}
		return tail
	}
}

// open shows a file in the pager or the editor.
func open(msg ui.OpenMsg) tea.Cmd {
	program := os.Getenv("PAGER")
	if msg.Editor {
		program = os.Getenv("EDITOR")
	}
	if program == "" {
		program = "less -R"
	}
	cmd := exec.CommandContext(context.Background(), "sh", "-c", program+` "$0"`, msg.Path)
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		if err != nil {
			return failedMsg{err}
		}
		return nil
	})
}
