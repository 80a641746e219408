package ui

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/statusbadge"
	"github.com/hobjobs/hob/ui/components/toast"
)

// ended tells the host of an end, and the person if nobody saw it.
func (p *Pane) ended(j *job) tea.Cmd {
	cmds := []tea.Cmd{send(EndedMsg{j.Job})}
	if p.attachment != nil && p.attachment.id == j.ID {
		p.attachment.ended, p.attachment.told = true, true
		p.spreadFocus()
	}
	switch statusbadge.StateOf(j.Job) {
	case statusbadge.Failed, statusbadge.Lost:
		cmds = append(cmds, p.attention(j, WhyFailed, engine.Note{}))
	case statusbadge.Done:
		cmds = append(cmds, p.attention(j, WhyFinished, engine.Note{}))
	case statusbadge.Waiting, statusbadge.Running, statusbadge.Starting, statusbadge.Paused, statusbadge.Stopping, statusbadge.Stopped:
		// Who asked for it was told when it was done.
	}
	if j.ID == p.shown.id {
		p.log.SetEmpty(p.emptyLog())
	}
	return tea.Batch(cmds...)
}

// attention marks a job and tells of it, unless somebody is looking at it.
func (p *Pane) attention(j *job, why Why, note engine.Note) tea.Cmd {
	looking := p.looking(j.ID)
	if looking && !(why == WhyWaiting && p.attachment == nil) {
		return nil
	}
	if !looking {
		j.unread++
		p.tally = nil
		p.putRow(j)
	}
	p.dirty = true
	level, text := p.wording(j.Job, why, note)
	cmd := p.toast(toast.Message{Level: level, Text: text, Key: "attention " + string(j.ID)})
	if looking {
		return cmd
	}
	return tea.Batch(cmd, send(AttentionMsg{j.Job, why, note}))
}

func (p *Pane) wording(j engine.Job, why Why, note engine.Note) (toast.Level, string) {
	name := p.shortName(j)
	switch why {
	case WhyWaiting:
		return toast.Warning, name + " waits " + p.answering()
	case WhyFailed:
		return toast.Error, name + ": " + statusbadge.Word(j)
	case WhyFinished:
		return toast.Success, name + ": " + statusbadge.Word(j)
	case WhyNote:
		text := cells.Clean(note.Body)
		if note.Title != "" {
			text = cells.Clean(note.Title) + ": " + text
		}
		return toast.Info, name + ": " + text
	case WhyBell:
	}
	return toast.Info, name + " rang"
}

// say shows a message.
func (p *Pane) say(level toast.Level, text string) tea.Cmd {
	return p.toast(toast.Message{Level: level, Text: text})
}

// refuse says why something was not done.
func (p *Pane) refuse(text string) tea.Cmd {
	return p.toast(toast.Message{Level: toast.Warning, Text: text, Key: toast.Refused})
}

// fail says what went wrong.
func (p *Pane) fail(what string, err error) tea.Cmd {
	return p.say(toast.Error, what+": "+hint(err))
}

func (p *Pane) toast(msg toast.Message) tea.Cmd {
	return p.toastFor(msg, msg.Level.Lifetime())
}

func (p *Pane) toastFor(msg toast.Message, d time.Duration) tea.Cmd {
	p.dirty = true
	return p.toastEnd(p.toasts.Show(msg), d)
}

func (p *Pane) toastEnd(id int, d time.Duration) tea.Cmd {
	return p.after(d, func() tea.Cmd {
		p.toastOver(id)
		return nil
	})
}

// toastOver removes a message whose time is over, and what it offered.
func (p *Pane) toastOver(id int) {
	if p.toasts.Drop(id) {
		p.dirty = true
	}
	if id == p.undoID {
		p.undo, p.undoID = nil, 0
	}
	if id == p.interrupted {
		p.interrupted = 0
	}
}

// hint says what an error means for the person and what to do about it, from
// its kind.
func hint(err error) string {
	text := ""
	switch {
	case errors.Is(err, engine.ErrNotFound):
		text = "the job is gone"
	case errors.Is(err, engine.ErrNotRunning):
		text = "it is not running any more"
	case errors.Is(err, engine.ErrRunning):
		text = "it is still running: stop it first"
	case errors.Is(err, engine.ErrNoInput):
		text = "it takes no input"
	case errors.Is(err, engine.ErrUnreachable):
		text = "its host is unreachable now"
		if e, ok := errors.AsType[*engine.Error](err); ok && e.Err != engine.ErrUnreachable { //nolint:errorlint // alone it says no more
			text = e.Err.Error() // which host, and why
		}
	case errors.Is(err, engine.ErrElsewhere):
		text = "it belongs to another machine or container"
	case errors.Is(err, engine.ErrUnsupported):
		text = "not possible with this job"
	case errors.Is(err, engine.ErrStateRoot):
		text = "the state directory is unusable"
	case errors.Is(err, context.DeadlineExceeded):
		text = "no answer in time"
	}
	var e *engine.Error
	if errors.As(err, &e) && e.Hint != "" {
		if text == "" {
			text = e.Err.Error()
		}
		return cells.Clean(text + "; " + e.Hint)
	}
	if text == "" || errors.Is(err, engine.ErrInvalid) || errors.Is(err, engine.ErrStateRoot) {
		text = err.Error()
	}
	return cells.Clean(strings.TrimSpace(text))
}
