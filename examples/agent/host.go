package main

import (
	"cmp"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui"
)

// host is the program: a transcript, a line to type in, and hob's pane below them.
type host struct {
	agent      *agent
	pane       *ui.Pane
	transcript []string
	prompt     textinput.Model
	reply      textinput.Model // to question
	question   *questionEvent  // that a job asks; nil: none
	w, h       int
	busy       bool      // whether the model is working
	foreground engine.ID // job of the call in the foreground
	notice     string    // message in the status line
}

func newHost(a *agent, pane *ui.Pane) *host {
	pane.Blur()
	h := &host{agent: a, pane: pane, prompt: textinput.New(), reply: textinput.New()}
	h.prompt.Focus()
	h.reply.Focus()
	h.say("Ask for something, such as: get the shop running")
	return h
}

func (h *host) say(text string) { h.transcript = append(h.transcript, text) }

func (h *host) Init() tea.Cmd                           { return h.pane.Init() }
func (h *host) Update(msg tea.Msg) (tea.Model, tea.Cmd) { return h, h.update(msg) }

func (h *host) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		h.w, h.h = msg.Width, msg.Height
		h.pane.SetOrigin(0, h.h/2) // the lower half
		return h.pane.SetSize(h.w, h.h-h.h/2)
	case tea.KeyPressMsg:
		return h.press(msg)
	case ui.LeaveMsg: // q, at the top of the pane
		h.pane.Blur()
	case ui.CopyMsg:
		return tea.SetClipboard(msg.Text)
	case error: // of a call of the engine
		h.notice = msg.Error()
	case messageEvent:
		h.say(msg.text)
	case startedEvent:
		h.foreground, h.notice = msg.job.ID, "" // an earlier notice is outdated
		h.say("● " + msg.job.Name)
		return h.pane.Select(msg.job.ID)
	case returnedEvent:
		h.foreground = ""
		h.say("  " + msg.outcome())
	case questionEvent:
		h.ask(msg)
	case turnOverEvent:
		h.busy = false
	}
	return h.pane.Update(msg) // the pane ignores unrelated messages
}

// press passes a key to the pane or to the line that is edited, whichever has the focus.
func (h *host) press(msg tea.KeyPressMsg) (cmd tea.Cmd) {
	if h.pane.Focused() {
		return h.pane.Update(msg)
	}
	h.notice = ""
	switch msg.String() {
	case "ctrl+c":
		return tea.Quit
	case "ctrl+b": // its Run returns at once, and the model continues
		id := h.foreground
		return func() tea.Msg { return h.agent.eng.Handle(id).Background() }
	case "tab":
		h.pane.Focus()
	case "enter":
		return h.enter()
	default:
		line := h.line()
		*line, cmd = line.Update(msg)
	}
	return cmd
}

// line returns the line that is edited: the answer to a question, or the prompt.
func (h *host) line() *textinput.Model {
	if h.question != nil {
		return &h.reply
	}
	return &h.prompt
}

// enter sends the line that is edited. The model gets no prompt while it works.
func (h *host) enter() tea.Cmd {
	text := h.line().Value()
	switch {
	case h.question != nil:
		q := *h.question
		h.question = nil
		return func() tea.Msg { return h.agent.reply(q, text) }
	case text != "" && !h.busy:
		h.prompt.Reset()
		h.busy = true
		h.say("> " + text)
		h.agent.answer()
	}
	return nil
}

// ask shows a question, or removes it when it is over. A secret must reach the job's terminal and
// nothing else, so it is not asked for here.
func (h *host) ask(q questionEvent) {
	h.question = nil
	h.reply.Reset()
	switch {
	case q.text == "":
	case q.secret():
		h.notice = q.job.Name + " asks for a secret: press Tab and attach to type it"
	default:
		h.question = &q
	}
}

func (h *host) View() tea.View {
	v := tea.View{AltScreen: true, MouseMode: tea.MouseModeCellMotion}
	room := h.h/2 - 2
	if room < 1 {
		return v
	}
	h.line().SetWidth(h.w - 3)
	status := cmp.Or(h.notice, "Ctrl+B background · Tab jobs, q back · Ctrl+C quit")
	if h.question != nil {
		status = h.question.job.Name + " asks: " + h.question.text
	}
	lines := strings.Split(ansi.Wrap(strings.Join(h.transcript, "\n"), h.w, ""), "\n")
	lines = lines[max(0, len(lines)-room):]
	lines = append(lines, make([]string, room-len(lines))...)
	lines = append(lines, h.line().View(), ansi.Truncate(status, h.w, "…"), h.pane.View())
	v.Content = strings.Join(lines, "\n")
	if v.Cursor = h.pane.Cursor(); v.Cursor != nil {
		v.Cursor.Y += h.h / 2
	}
	return v
}
