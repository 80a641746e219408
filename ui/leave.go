package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/ui/components/toast"
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
	a = Attached{Foreground: at.byHost, Title: p.term.Title()}
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
		return p.foregroundEvent(eventClose)
	case keymap.Match(msg, p.opts.keys.Terminal.Leave):
		return p.pressLeave(msg)
	case a.viaLog:
		return p.pressLog(msg)
	case p.fore.state == foreFailed:
		return nil // input meant for the job must not reach the list
	}
	return p.toTerminal(msg)
}

// pressLog handles a key for an attached job without a terminal, whose log is shown.
func (p *Pane) pressLog(msg tea.KeyPressMsg) tea.Cmd {
	if p.fore.ended() {
		return p.tasks.route(p.output.log.Update(msg))
	}
	if msg.String() == "ctrl+c" {
		return p.interruptShown()
	}
	_, scrolls := p.boundTo(msg, "log")
	if typed := msg.Text != "" || msg.Code == tea.KeyEnter; typed && !scrolls {
		return p.notices.refuse("No terminal: it gets no keys")
	}
	return p.tasks.route(p.output.log.Update(msg))
}

// pressLeave handles the leave key while a job is attached or was just left.
func (p *Pane) pressLeave(msg tea.KeyPressMsg) tea.Cmd {
	p.fore.key = tea.Key(msg)
	return p.foregroundEvent(p.fore.leaveEvent(p.opts.leave))
}

// foregroundEvent does what the table of the foreground says.
func (p *Pane) foregroundEvent(e foreEvent) tea.Cmd {
	actions, a := p.fore.step(e)
	var cmds []tea.Cmd
	for _, do := range actions {
		cmds = append(cmds, p.foregroundAction(do, a))
	}
	p.updateFocus()
	return tea.Batch(cmds...)
}

func (p *Pane) foregroundAction(do foreAction, a *attachment) tea.Cmd {
	switch do {
	case doFocusList:
		p.focus, p.zoomed = areaList, false
	case doShowPanes:
		if p.selectNext = a.id; p.list.Select(a.id) {
			p.selectNext = ""
		}
		return tea.Batch(p.arrange(), p.show(), p.tick())
	case doSend:
		return p.sendToBackground(a)
	case doWait:
		return p.tasks.latest(&p.fore.timer, p.fore.wait(), func() tea.Cmd { return p.foregroundEvent(eventTimeOver) })
	case doClose:
		if a.session != nil {
			return p.tasks.release(a.session)
		}
	case doReturn:
		p.notices.Clear() // the job is visible again
		return p.arrange()
	case doTypeKey:
		if !a.viaLog {
			p.term.Press(p.fore.key)
			return p.typeOn(a)
		}
	case doIgnoreKeys:
		return p.ignoring.begin()
	case doReportLeft:
		if a.byHost {
			return send(LeaveMsg{Ended: p.endOf(a)})
		}
	case doRefuse:
		return p.notices.refuse(p.dotted("The job has exited", p.does(p.opts.keys.Ended.LeaveEnded, "close")))
	}
	return nil
}

// sendToBackground sends the job of an attachment to the background.
func (p *Pane) sendToBackground(a *attachment) tea.Cmd {
	if j, ok := p.jobs.all[a.id]; ok && j.Backgrounded {
		if a.byHost {
			return p.backgrounded(a.id, nil)
		}
		return nil
	}
	eng, id := p.tasks.eng, a.id
	return p.tasks.async(func(context.Context) func() tea.Cmd {
		err := eng.Background(id)
		return func() tea.Cmd { return p.backgrounded(id, err) }
	})
}

// backgrounded handles the engine's answer.
func (p *Pane) backgrounded(id engine.ID, err error) tea.Cmd {
	if err == nil {
		return send(BackgroundedMsg{id})
	}
	var cmd tea.Cmd
	if p.fore.leaving == id {
		p.fore.leaving = ""
	}
	if errors.Is(err, engine.ErrNotRunning) {
		cmd = p.notices.message(toast.Info, "The job has already exited")
	} else {
		cmd = p.notices.fail("Can't send the job to the background", err)
	}
	return tea.Batch(p.foregroundEvent(eventNotSent), cmd)
}

// endOf returns the ended job of an attachment, as far as its end is known.
func (p *Pane) endOf(a *attachment) *engine.Job {
	ended := engine.Job{Request: engine.Request{ID: a.id}}
	if j, ok := p.jobs.all[a.id]; ok {
		ended = j.Job
	}
	switch {
	case ended.Status.Finished():
	case a.exit != nil:
		ended.Status, ended.Exit = a.exit.Status, *a.exit
	default:
		return nil
	}
	return &ended
}
