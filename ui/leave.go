package ui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/ui/components/toast"
)

// pressAttached takes a key while a job owns the keyboard.
func (p *Pane) pressAttached(msg tea.KeyPressMsg) tea.Cmd {
	a := p.attachment
	leave := keymap.Match(msg, p.opts.keys.Terminal.Leave)
	if a.ended || a.failed != "" && a.session == nil {
		switch {
		case keymap.Match(msg, p.opts.keys.Ended.LeaveEnded):
			return p.leaveEnded()
		case leave && a.ended:
			return p.refuse(with("it has ended: there is nothing to send to the background", ";", p.does(p.opts.keys.Ended.LeaveEnded, "leaves")))
		case leave:
			return p.leaveEnded()
		}
		if a.viaLog {
			return p.route(p.log.Update(msg))
		}
		return nil // what was typed for the job never reaches the list
	}
	if leave {
		return p.background()
	}
	if a.viaLog {
		p.dirty = true
		if msg.String() == "ctrl+c" {
			return p.interruptShown()
		}
		return p.route(p.log.Update(msg))
	}
	return p.toTerminal(msg)
}

// background leaves the job running and shows the panes. The session is kept
// for as long as a second leave key can come.
func (p *Pane) background() tea.Cmd {
	a := p.attachment
	p.attachment, p.park = nil, a
	p.wish = a.id
	p.focus, p.zoomed = areaList, false
	if p.list.Select(a.id) {
		p.wish = ""
	}
	p.spreadFocus()
	p.chordGen++
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

// sendAway sends the job of an attachment to the background.
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

// chordIn waits until a second leave key can no longer come. On the way to the shell the
// screen of the job stays until the engine has answered.
func (p *Pane) chordIn(wait time.Duration) tea.Cmd {
	gen := p.chordGen
	return p.after(wait, func() tea.Cmd {
		a := p.park
		switch {
		case gen != p.chordGen:
			return nil
		case a != nil && a.away && p.late < doubleLeave:
			return tea.Batch(p.sendAway(a), p.chordIn(doubleLeave))
		}
		return p.unpark()
	})
}

// again goes back to the job just left and types the leave key into it.
func (p *Pane) again(msg tea.KeyPressMsg) tea.Cmd {
	p.attachment, p.park = p.park, nil
	p.attachment.away, p.went = false, ""
	p.toasts.Clear() // what they tell of the job can be seen now
	p.chordGen++
	p.spreadFocus()
	cmds := []tea.Cmd{p.arrange()}
	if p.attachment.viaLog || p.attachment.ended {
		return tea.Batch(cmds...)
	}
	p.term.Press(tea.Key(msg))
	return tea.Batch(append(cmds, p.typeOn(p.attachment))...)
}

// unpark lets go of the session of the job just left.
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

// leaveEnded leaves the last screen of a job.
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

// endOf is the job of an attachment as it ended, as far as that is known here.
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

// leaveJob shows the panes again, without a word to the job.
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

// backgrounded takes the engine's answer.
func (p *Pane) backgrounded(id engine.ID, err error) tea.Cmd {
	p.stays = p.stays || err != nil
	switch {
	case errors.Is(err, engine.ErrNotRunning):
		return p.say(toast.Info, "it had ended already")
	case err != nil:
		return p.fail("not sent to the background", err)
	}
	return send(BackgroundedMsg{id})
}
