package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui"
)

// host is the program: the transcript, the prompt, hob's pane below.
type host struct {
	eng    *engine.Engine
	agent  *agent
	pane   *ui.Pane
	prompt prompt
	talk   *transcript

	w, h    int
	share   int  // rows of the pane
	hidden  bool // the pane is
	busy    bool // the model has the turn
	ticking bool
	now     time.Time
	fore    engine.ID // the job of the call in the foreground
	said    string    // of the status line
}

type (
	clockMsg time.Time
	// heardMsg is something that the agent tells.
	heardMsg struct{ event any }
	// tailMsg is the end of the output of the call in the foreground.
	tailMsg struct {
		id    engine.ID
		lines []string
	}
	failedMsg struct{ err error }
)

func newHost(eng *engine.Engine, a *agent, pane *ui.Pane) *host {
	pane.Blur()
	h := &host{eng: eng, agent: a, pane: pane, talk: newTranscript(), share: 14, now: time.Now()}
	h.talk.add(row{kind: rowNote, text: "Ask for something, such as: get the shop running"})
	return h
}

func (h *host) Init() tea.Cmd {
	return tea.Batch(h.pane.Init(), h.listen())
}

// listen waits for the next thing that the agent tells; one such command is in
// flight.
func (h *host) listen() tea.Cmd {
	events, ctx := h.agent.events, h.agent.ctx
	return func() tea.Msg {
		select {
		case event := <-events:
			return heardMsg{event}
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
	case heardMsg:
		return tea.Batch(h.heard(msg.event), h.listen(), h.tick())
	case clockMsg:
		h.ticking, h.now = false, time.Time(msg)
		return tea.Batch(h.tick(), h.readTail(h.fore))
	case tailMsg:
		h.talk.find(msg.id).tail = msg.lines
		return nil
	case failedMsg:
		h.said = msg.err.Error()
		return nil
	case ui.LeaveMsg: // q, at the top of the pane
		h.focus(false)
		return nil
	case ui.BackgroundedMsg, ui.EndedMsg:
		return nil // the agent hears of both from the engine
	case ui.AttentionMsg:
		if h.talk.find(msg.Job.ID).background || msg.Why == ui.WhyWaiting { // of others the model is told
			h.said = fmt.Sprintf("%s: %s", msg.Job.Name, msg.Why)
		}
		return nil
	case ui.CopyMsg:
		return tea.SetClipboard(msg.Text)
	case ui.OpenMsg:
		return open(msg)
	case tea.PasteMsg:
		if !h.pane.Focused() {
			h.prompt.update(msg)
			return nil
		}
	}
	return h.pane.Update(msg) // also what is none of its business: it ignores that
}

// wheel scrolls the transcript.
func (h *host) wheel(msg tea.MouseWheelMsg) {
	switch msg.Button {
	case tea.MouseWheelUp:
		h.talk.scroll(3)
	case tea.MouseWheelDown:
		h.talk.scroll(-3)
	}
}

// press gives a key to whoever has the keyboard. While the pane wants all of
// them the host keeps none.
func (h *host) press(msg tea.KeyPressMsg) tea.Cmd {
	if h.pane.Focused() && h.pane.CapturesKeys() {
		return h.pane.Update(msg)
	}
	h.said = ""
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
	case "up":
		h.talk.choose(-1)
		return nil
	case "down":
		h.talk.choose(1)
		return nil
	case "pgup":
		h.talk.scroll(h.paneTop() / 2)
		return nil
	case "pgdown":
		h.talk.scroll(-h.paneTop() / 2)
		return nil
	case "esc":
		h.talk.chosen, h.talk.back = -1, 0
		return nil
	case "enter":
		return h.enter()
	}
	h.prompt.update(msg)
	return nil
}

// enter sends the prompt, or unfolds the chosen row.
func (h *host) enter() tea.Cmd {
	text := strings.TrimSpace(h.prompt.text)
	if text == "" {
		h.talk.unfold()
		return nil
	}
	if h.busy {
		h.said = "the model is at work: wait, or Ctrl+B"
		return nil
	}
	h.prompt.text = ""
	h.talk.chosen, h.talk.back = -1, 0
	h.talk.add(row{kind: rowYou, text: text})
	h.busy, h.said = true, ""
	h.agent.answer()
	return h.tick()
}

// background resolves the call in the foreground: its Run returns at once and the
// model goes on.
func (h *host) background() tea.Cmd {
	if h.fore == "" {
		h.said = "nothing is in the foreground"
		return nil
	}
	eng, id := h.eng, h.fore
	return func() tea.Msg {
		if err := eng.Background(id); err != nil {
			return failedMsg{err}
		}
		return nil
	}
}

// focus gives the keyboard to the pane, or back to the prompt.
func (h *host) focus(pane bool) {
	if pane {
		h.pane.Focus()
	} else {
		h.pane.Blur()
	}
}

// heard puts into the transcript what the agent tells.
func (h *host) heard(event any) tea.Cmd {
	switch e := event.(type) {
	case saidEvent:
		h.talk.add(row{kind: rowModel, text: e.text})
	case startedEvent:
		h.fore, h.said = e.job.ID, "" // what it said was of the time before
		h.talk.add(row{kind: rowCall, call: &call{job: e.job}})
		return h.pane.Select(e.job.ID)
	case returnedEvent:
		return h.returned(e)
	case endedEvent:
		c := h.talk.find(e.id)
		c.job.Status, c.job.Exit = e.exit.Status, e.exit
		h.talk.add(row{kind: rowNote, text: fmt.Sprintf("%s ended in the background: %s", c.job.Name, c.job.Ending())})
	case turnOverEvent:
		h.busy = false
	}
	return nil
}

func (h *host) returned(e returnedEvent) tea.Cmd {
	if h.fore == e.id {
		h.fore = ""
	}
	c := h.talk.find(e.id)
	switch {
	case e.err != nil:
		c.failed = e.err.Error()
	case e.result.Backgrounded:
		c.job, c.background, c.tail = e.result.Job, true, nil
		h.talk.add(row{kind: rowNote, text: fmt.Sprintf("the model is told: it runs in the background as %s", e.id)})
	default:
		c.job = e.result.Job
		return h.readTail(e.id)
	}
	return nil
}

// tick moves the clock while anything runs.
func (h *host) tick() tea.Cmd {
	if h.ticking || !h.busy && h.pane.Running() == 0 {
		return nil
	}
	h.ticking = true
	return tea.Tick(time.Second/4, func(t time.Time) tea.Msg { return clockMsg(t) })
}

const tailLines = 4

// readTail reads what a job printed last.
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
