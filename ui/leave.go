package ui

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/ui/components/toast"
)

// pressAttached handles a key while a job is attached.
func (p *Pane) pressAttached(msg tea.KeyPressMsg) tea.Cmd {
	a := p.attachment
	leave := keymap.Match(msg, p.opts.keys.Terminal.Leave)
	if a.ended || a.failed != "" && a.session == nil {
		switch {
		case keymap.Match(msg, p.opts.keys.Ended.LeaveEnded):
			return p.leaveEnded()
		case leave && a.ended:
			return p.refuse(p.dotted("The job has exited", p.does(p.opts.keys.Ended.LeaveEnded, "close")))
		case leave:
			return p.leaveEnded()
		}
		if a.viaLog {
			return p.route(p.log.Update(msg))
		}
		return nil // input meant for the job must not reach the list
	}
	if leave {
		return p.background()
	}
	if a.viaLog {
		if msg.String() == "ctrl+c" {
			return p.interruptShown()
		}
		if _, scrolls := p.boundTo(msg, "log"); !scrolls && (msg.Text != "" || msg.Code == tea.KeyEnter) {
			return p.refuse("No terminal: it gets no keys")
		}
		return p.route(p.log.Update(msg))
	}
	return p.toTerminal(msg)
}

// background detaches from the job and shows the panes. The session is kept as long as a second
// leave key can follow.
func (p *Pane) background() tea.Cmd {
	a := p.attachment
	p.attachment, p.park = nil, a
	p.wish = a.id
	p.focus, p.zoomed = areaList, false
	if p.list.Select(a.id) {
		p.wish = ""
	}
	p.spreadFocus()
	wait := doubleLeave
	if a.fore && p.late > 0 {
		a.away, p.went, wait = true, a.id, p.late
	}
	cmds := []tea.Cmd{p.chordIn(wait), p.arrange(), p.show(), p.tick()}
	if !a.away {
		cmds = append(cmds, p.sendAway(a))
	}
	return tea.Batch(cmds...)
}

// sendAway sends an attachment's job to the background.
func (p *Pane) sendAway(a *attachment) tea.Cmd {
	a.away = false
	if j, ok := p.jobs[a.id]; ok && j.Backgrounded {
		if a.fore {
			return send(BackgroundedMsg{a.id})
		}
		return nil
	}
	eng, id := p.eng, a.id
	return p.async(func(context.Context) func() tea.Cmd {
		err := eng.Background(id)
		return func() tea.Cmd { return p.backgrounded(id, err) }
	})
}

// chordIn waits until a second leave key can no longer follow. If the program will exit to the
// shell, the screen of the job stays until the engine has answered.
func (p *Pane) chordIn(wait time.Duration) tea.Cmd {
	return p.latest(&p.chordGen, wait, func() tea.Cmd {
		if a := p.park; a != nil && a.away && p.late < doubleLeave {
			return tea.Batch(p.sendAway(a), p.chordIn(doubleLeave))
		}
		return p.unpark()
	})
}

// again returns to the job just left and types the leave key into it.
func (p *Pane) again(msg tea.KeyPressMsg) tea.Cmd {
	p.attachment, p.park = p.park, nil
	p.attachment.away, p.went = false, ""
	p.toasts.Clear() // the job is visible again
	p.chordGen++
	p.spreadFocus()
	cmds := []tea.Cmd{p.arrange()}
	if p.attachment.viaLog || p.attachment.ended {
		return tea.Batch(cmds...)
	}
	p.term.Press(tea.Key(msg))
	return tea.Batch(append(cmds, p.typeOn(p.attachment))...)
}

// unpark closes the session of the job just left.
func (p *Pane) unpark() tea.Cmd {
	a := p.park
	p.park = nil
	if a == nil {
		return nil
	}
	if a.away {
		return tea.Batch(p.sendAway(a), p.letGo(a))
	}
	return p.letGo(a)
}

func (p *Pane) letGo(a *attachment) tea.Cmd {
	if a.session == nil {
		return nil
	}
	return p.release(a.session)
}

// ignoreKeysTime is how long keys are ignored after the focus has moved by itself: the user was typing
// for the previous target.
const ignoreKeysTime = 500 * time.Millisecond

func (p *Pane) ignoreKeys() tea.Cmd {
	p.ignoringKeys = true
	return p.latest(&p.deafGen, ignoreKeysTime, func() tea.Cmd {
		p.ignoringKeys = false
		return nil
	})
}

// leaveEmpty returns to the panes when a job ends with an empty screen, as full-screen programs
// do.
func (p *Pane) leaveEmpty(a *attachment) tea.Cmd {
	if a != p.attachment || a.fore || strings.TrimSpace(p.term.Text()) != "" {
		return nil
	}
	return tea.Batch(p.leaveJob(), p.ignoreKeys())
}

func (p *Pane) leaveEnded() tea.Cmd {
	fore := p.attachment.fore
	if fore {
		p.foreEnd = p.endOf(p.attachment)
	}
	cmd := p.leaveJob()
	if fore {
		return tea.Batch(cmd, send(LeaveMsg{}))
	}
	return cmd
}

// endOf returns the ended job of an attachment, as far as its end is known.
func (p *Pane) endOf(a *attachment) *engine.Job {
	ended := engine.Job{Request: engine.Request{ID: a.id}}
	if j, ok := p.jobs[a.id]; ok {
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

// leaveJob shows the panes again. It does not change the job.
func (p *Pane) leaveJob() tea.Cmd {
	a := p.attachment
	p.attachment = nil
	p.wish = a.id
	if p.list.Select(a.id) {
		p.wish = ""
	}
	p.spreadFocus()
	return tea.Batch(p.letGo(a), p.arrange(), p.show(), p.tick())
}

// backgrounded handles the engine's answer.
func (p *Pane) backgrounded(id engine.ID, err error) tea.Cmd {
	p.stays = p.stays || err != nil
	switch {
	case errors.Is(err, engine.ErrNotRunning):
		return p.showMessage(toast.Info, "The job has already exited")
	case err != nil:
		return p.fail("Can't send the job to the background", err)
	}
	return send(BackgroundedMsg{id})
}
