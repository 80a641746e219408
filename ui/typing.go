package ui

import (
	"context"
	"errors"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
)

// toTerminal passes a key, a paste or a mouse event to the terminal and sends the resulting input
// to the job.
func (p *Pane) toTerminal(msg tea.Msg) tea.Cmd {
	if p.attachment.ended || p.attachment.viaLog {
		return nil
	}
	cmd := p.route(p.term.Update(msg))
	return tea.Batch(cmd, p.typeOn(p.attachment))
}

// typeOn writes pending input. Only one write runs at a time, to keep the order.
func (p *Pane) typeOn(a *attachment) tea.Cmd {
	input := p.term.TakeInput()
	a.line = lineLength(a.line, string(input))
	a.typed = append(a.typed, input...)
	if a.writing || a.session == nil || len(a.typed) == 0 {
		return nil
	}
	text := a.typed
	a.typed, a.writing = nil, true
	_, control := p.term.Controller()
	size := p.term.Size()
	term := a.session.term
	return p.async(func(ctx context.Context) func() tea.Cmd {
		err := engine.Type(ctx, term, control, size, text)
		return func() tea.Cmd { return p.wrote(a, err) }
	})
}

// lineLength returns how many characters a line of n characters has after further input. A control
// character such as Enter or Ctrl+U begins a new line, as does the escape sequence of a special key.
func lineLength(n int, input string) int {
	for _, r := range input {
		switch {
		case r == '\x1b':
			return 0
		case r == '\b', r == '\x7f':
			n = max(0, n-1)
		case unicode.IsControl(r):
			n = 0
		default:
			n++
		}
	}
	return n
}

func (p *Pane) wrote(a *attachment, err error) tea.Cmd {
	if !p.has(a) {
		return nil
	}
	a.writing = false
	if err != nil {
		a.typed = nil
		if overBy(a, err) {
			return nil
		}
		return p.fail("Can't type into the job", err)
	}
	return p.typeOn(a)
}

// overBy reports whether err only means that the job has ended or that the attachment is no
// longer in use.
func overBy(a *attachment, err error) bool {
	return a.ended || errors.Is(err, context.Canceled) || errors.Is(err, engine.ErrNotRunning)
}
