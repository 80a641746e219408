package ui

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/logview"
	"github.com/hobjobs/hob/ui/components/selection"
	"github.com/hobjobs/hob/ui/components/toast"
)

// Update handles a message of the host's program. It ignores outdated messages and those of other
// panes, keys without focus, and mouse events outside of the pane.
func (p *Pane) Update(msg tea.Msg) tea.Cmd {
	if p.changes(msg) {
		p.frame.dirty = true
	}
	cmd := p.update(msg)
	p.updateFocus()
	p.measure()
	if p.noticeRows() != p.view.lay.footer.h-1 && p.view.lay.shape != shapeTooSmall {
		cmd = tea.Batch(cmd, p.arrange())
	}
	return tea.Batch(cmd, p.updateViewed(), p.output.group.next())
}

// changes reports whether a message may change what is on screen. New output of a job is visible
// only in its log, once that has been read; the list shows it then, or at the next tick.
func (p *Pane) changes(msg tea.Msg) bool {
	e, ok := msg.(eventsMsg)
	if !ok || e.err != nil {
		return true
	}
	if !p.events.known || p.events.trouble != "" {
		return true
	}
	return slices.ContainsFunc(e.events, func(e engine.Event) bool { return e.Kind != engine.EventOutput })
}

func (p *Pane) update(msg tea.Msg) tea.Cmd {
	if p.tasks.ctx.Err() != nil { // closed
		if ask, ok := msg.(AskMsg); ok {
			return refuseAsk(ask)
		}
		return nil
	}
	if !p.view.focused { // hosts may pass on all messages
		switch msg.(type) {
		case tea.KeyMsg, tea.PasteMsg:
			return nil
		}
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return p.press(msg)
	case tea.KeyReleaseMsg:
		if p.attachedOnTop() {
			return p.fore.input(msg)
		}
	case tea.PasteMsg:
		return p.paste(msg)
	case tea.MouseMsg:
		return p.mouse(msg)
	case AskMsg:
		return p.questions.add(msg)
	case thenMsg:
		if msg.tasks == p.tasks {
			return msg.then()
		}
	case childMsg:
		if msg.tasks == p.tasks {
			return p.child(msg.msg)
		}
	case eventsMsg:
		if msg.tasks == p.tasks {
			return p.facts(msg)
		}
	}
	return nil
}

func (p *Pane) child(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case selection.CopyMsg:
		what := "selection"
		if m.Line {
			what = "1 line"
		}
		cmd := p.notices.copied(m.Text, what)
		if m.Cut {
			cmd = tea.Batch(cmd, p.notices.message(toast.Warning, "The selection is too long; only a part was copied"))
		}
		return cmd
	case logview.NoticeMsg:
		if p.modal.prompt != nil { // an incomplete expression often has no matches
			return nil
		}
		return p.notices.message(toast.Info, m.Text)
	}
	return nil
}

// eventStream is where the state of the jobs comes from.
type eventStream struct {
	sub     subscription
	known   bool   // the snapshot was received
	trouble string // why the state may be outdated

	measured []engine.ID // whose usage is on screen
}

func (p *Pane) subscribe() tea.Cmd {
	t, filter := p.tasks, p.opts.filter
	return t.async(func(context.Context) func() tea.Cmd {
		sub := t.eng.Subscribe(filter)
		if !t.open.keep(sub) {
			return nil
		}
		return func() tea.Cmd {
			p.events.sub, p.events.known, p.events.measured = sub, false, nil
			p.attend()
			return p.listen()
		}
	})
}

// attend reports to the engine which job is shown: its log follows output at once, while the list
// shows output of other jobs once per tick.
func (p *Pane) attend() {
	switch {
	case p.events.sub == nil:
	case p.output.id == "":
		p.events.sub.Attend()
	default:
		p.events.sub.Attend(p.output.id)
	}
}

// measure reports to the engine whose usage is on screen: that of the other jobs is not measured.
func (p *Pane) measure() {
	if p.events.sub == nil || !p.events.known || !p.frame.dirty {
		return
	}
	var ids []engine.ID
	if p.fore.attached() == nil {
		if !p.view.lay.list.empty() {
			ids = p.list.Measured()
		}
		if p.output.id != "" && !slices.Contains(ids, p.output.id) {
			ids = append(ids, p.output.id)
		}
	}
	if p.events.measured == nil || !slices.Equal(ids, p.events.measured) {
		p.events.measured = append([]engine.ID{}, ids...)
		p.events.sub.Measure(ids...)
	}
}

// listen waits for the next events. At most one such command runs: each result starts the next.
func (p *Pane) listen() tea.Cmd {
	t, sub, clock := p.tasks, p.events.sub, p.opts.clock
	return func() tea.Msg {
		events, err := sub.Next(t.ctx)
		return eventsMsg{t, events, clock(), err}
	}
}

const retryAfter = 2 * time.Second

// facts handles events. A lost subscription is opened again.
func (p *Pane) facts(msg eventsMsg) tea.Cmd {
	switch err := msg.err; {
	case err == nil:
		return tea.Batch(p.handleEvents(msg.events, msg.now), p.listen())
	case errors.Is(err, context.Canceled), errors.Is(err, engine.ErrClosed):
		return nil
	}
	// The displayed state may be outdated; show that until it is current again.
	p.events.trouble = hint(msg.err)
	return tea.Batch(p.tasks.release(p.events.sub), p.tasks.after(retryAfter, p.subscribe))
}

// BackgroundedMsg reports to the host that a job was sent to the background.
type BackgroundedMsg struct{ ID engine.ID }

// EndedMsg reports to the host that a job has ended, once for each end while the pane is open.
type EndedMsg struct{ Job engine.Job }

// Why is the reason why a job needs attention.
type Why string

// Values of Why.
const (
	WhyWaiting Why = "needs input"
	// WhyUnhealthy: its health check fails.
	WhyUnhealthy Why = "unhealthy"
	WhyFailed    Why = "failed"   // it failed without being stopped on request
	WhyFinished  Why = "finished" // it ended
	WhyBell      Why = "bell"     // it rang the bell
	WhyNote      Why = "note"     // it sent a notification
)

// AttentionMsg reports to the host that a job needs attention and is not on screen, or that the
// pane has no focus. The end of a job that another client waits for in the foreground needs none,
// unless the job was started with Notify.
type AttentionMsg struct {
	Job  engine.Job
	Why  Why
	Note engine.Note // with WhyNote
	Text string      // the same in words: "npm run dev failed (exit 1)"
}

// CopyMsg asks the host to copy text to the clipboard.
type CopyMsg struct {
	Text string
	What string // description: "3 lines"
}

// OpenMsg asks the host to open a file of this machine in a pager or an editor.
type OpenMsg struct {
	Path   string
	Editor bool
}

// ReplayedMsg reports that the user has closed the replay of a job.
type ReplayedMsg struct{ ID engine.ID }

// LeaveMsg reports that the user leaves the pane. Jobs keep running.
type LeaveMsg struct {
	// Ended is the job of [Pane.Foreground], if it has ended and the user closed its last screen.
	Ended *engine.Job
}

// AskMsg is sent to a pane to ask the user for a line of text, such as a passphrase, or for yes
// or no. The pane calls Reply once, from a command or from [Pane.Close]; ok is false if the user
// refused. Reply must not block.
type AskMsg struct {
	Title   string // subject of the question: "web1"
	Text    string
	Secret  bool   // hide the typed text
	Confirm string // what yes does: "Trust it"; the answer is [AnswerYes] or [AnswerNo]. Empty: ask for a line of text
	Reply   func(answer string, ok bool)
}

// eventsMsg carries events of the engine to the pane that subscribed to them.
type eventsMsg struct {
	tasks  *tasks
	events []engine.Event
	now    time.Time
	err    error
}

// SuspendMsg asks the host to stop, as Ctrl+Z does in a shell. See [WithProgram].
type SuspendMsg struct{}

// ToggleMouseMsg asks the host to release the mouse to the terminal, or to capture it again, and to
// call [Pane.ShowMouse]. See [WithProgram].
type ToggleMouseMsg struct{}
