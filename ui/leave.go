package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/keymap"
)

// Attached describes the job that has the keyboard and the whole pane.
type Attached struct {
	Job        engine.Job // only the ID, if the job is not known yet
	Foreground bool       // requested with [Pane.Foreground]
	Title      string     // the title that its program has set, or ""
}

// Attached returns the attached job; ok is false if the panes are shown.
func (p *Pane) Attached() (a Attached, ok bool) {
	at := p.fore.attached()
	if at == nil {
		return Attached{}, false
	}
	a = Attached{Foreground: at.byHost, Title: p.fore.term.Title()}
	a.Job.ID = at.id
	if j, known := p.jobs.all[at.id]; known {
		a.Job = j.Job
	}
	return a, true
}

// Leaving returns the job of [Pane.Foreground] that the user has left, unless it could not be sent to
// the background. The user may still return to it: then it is "" again. toHost reports whether the
// host is about to take over ([LeaveToHost]); until then it should keep what is on its screen.
func (p *Pane) Leaving() (id engine.ID, toHost bool) { return p.fore.leaving, p.hostTakesOver() }

// hostTakesOver reports whether the panes get no input because they are not going to be shown.
func (p *Pane) hostTakesOver() bool { return p.fore.toHost() && p.modal.over == nil }

// pressAttached handles a key while a job is attached.
func (p *Pane) pressAttached(msg tea.KeyPressMsg) tea.Cmd {
	a := p.fore.job
	switch {
	case p.fore.closable() && keymap.Match(msg, p.opts.keys.Ended.LeaveEnded):
		return p.fore.event(eventClose)
	case keymap.Match(msg, p.opts.keys.Terminal.Leave):
		return p.fore.pressLeave(msg)
	case a.viaLog:
		return p.pressLog(msg)
	case p.fore.state == foreFailed:
		return nil // input meant for the job must not reach the list
	}
	return p.fore.input(msg)
}

// pressLog handles a key for an attached job without a terminal, whose log is shown.
func (p *Pane) pressLog(msg tea.KeyPressMsg) tea.Cmd {
	if p.fore.ended() {
		return p.tasks.route(p.output.log.Update(msg))
	}
	if msg.String() == "ctrl+c" {
		return p.interruptShown()
	}
	a, bound := p.actions.boundTo(msg, "log")
	scrolls := bound && a.Section != "jobs"
	if typed := msg.Text != "" || msg.Code == tea.KeyEnter; typed && !scrolls {
		return p.notices.refuse("No terminal: keys are not sent")
	}
	return p.tasks.route(p.output.log.Update(msg))
}

// Leave is what happens to the job of [Pane.Foreground] when the user presses the leave key.
type Leave int

// Values of Leave.
const (
	// LeaveAtOnce sends the job to the background at once and shows the panes.
	LeaveAtOnce Leave = iota
	// LeaveLater shows the panes at once, but sends the job to the background only when no second
	// leave key can follow. So a double press, which returns to the job, never sends it.
	LeaveLater
	// LeaveToHost is like LeaveLater for a host that shows something else than the pane after
	// [BackgroundedMsg]. It waits for less time, and other keys are ignored. See [Pane.Leaving].
	LeaveToHost
)

// WithLeave sets what happens when the user leaves a foreground job (default: [LeaveAtOnce]).
func WithLeave(l Leave) Option { return func(o *options) { o.leave = l } }

// attachedOnTop reports whether a job is attached and no dialog covers it.
func (p *Pane) attachedOnTop() bool { return p.fore.attached() != nil && p.modal.over == nil }
