package ui

import (
	"context"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/later"
	"github.com/hobjobs/hob/ui/components/logview"
	"github.com/hobjobs/hob/ui/components/selection"
	"github.com/hobjobs/hob/ui/internal/session"
)

// tasks runs what a pane must not wait for: calls of the engine, reads, timers. Every part of the
// pane that has slow work to do holds a pointer to it, and nothing else reaches the engine.
//
// Work runs in commands, outside of Update. It captures values, and carries the pane's context. Its
// result is a function that Update calls; a message of another pane's tasks is ignored.
type tasks struct {
	eng  jobEngine
	open resources // what commands have opened

	// ctx is canceled when the pane is closed. It is stored because commands outlive the calls
	// that create them.
	ctx    context.Context
	cancel context.CancelFunc
}

func newTasks(eng jobEngine) *tasks {
	t := &tasks{eng: eng}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	return t
}

// thenMsg carries the rest of an asynchronous operation to Update of its pane.
type thenMsg struct {
	tasks *tasks
	then  func() tea.Cmd
}

// childMsg carries what a component reports to Update of its pane.
type childMsg struct {
	tasks *tasks
	msg   tea.Msg
}

// async runs f as a command, and the function that f returns in Update, unless it is nil.
func (t *tasks) async(f func(ctx context.Context) (then func() tea.Cmd)) tea.Cmd {
	ctx := t.ctx
	return func() tea.Msg {
		if then := f(ctx); then != nil {
			return thenMsg{t, then}
		}
		return nil
	}
}

// after runs then in Update after d.
func (t *tasks) after(d time.Duration, then func() tea.Cmd) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return thenMsg{t, then} })
}

// latest is after, but then does not run if the number has changed by that time: a later call raises
// it.
func (t *tasks) latest(number *int, d time.Duration, then func() tea.Cmd) tea.Cmd {
	*number++
	began := *number
	return t.after(d, func() tea.Cmd {
		if *number != began {
			return nil
		}
		return then()
	})
}

// route makes the result of a component's command come back to this pane.
func (t *tasks) route(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		switch msg := cmd().(type) {
		case nil:
			return nil
		case tea.BatchMsg:
			for i, c := range msg {
				msg[i] = t.route(c)
			}
			return msg
		case later.Msg:
			return thenMsg{t, func() tea.Cmd { return t.route(msg()) }}
		case selection.CopyMsg, logview.NoticeMsg:
			return childMsg{t, msg}
		default: // of the pane itself
			return msg
		}
	}
}

// release closes something in a command, because closing may block.
func (t *tasks) release(c io.Closer) tea.Cmd {
	return func() tea.Msg {
		_ = t.open.release(c) // the error has no consequence
		return nil
	}
}

// openSession opens a session of a job's terminal and passes it, or the error, to then.
func (t *tasks) openSession(id engine.ID, o engine.TerminalOptions, then func(*session.Session, error) tea.Cmd) tea.Cmd {
	return t.async(func(ctx context.Context) func() tea.Cmd {
		term, err := t.eng.OpenTerminal(ctx, id, o)
		if err != nil {
			return func() tea.Cmd { return then(nil, err) }
		}
		open := session.New(ctx, term)
		if !t.open.keep(open) {
			return nil
		}
		return func() tea.Cmd { return then(open, nil) }
	})
}

// releaseSession closes a session that is not needed any longer; nil was not opened.
func (t *tasks) releaseSession(open *session.Session) tea.Cmd {
	if open == nil {
		return nil
	}
	return t.release(open)
}

// nextChunks waits for output of a session. At most one such command runs per session.
func (t *tasks) nextChunks(open *session.Session, then func([]engine.TerminalChunk, error) tea.Cmd) tea.Cmd {
	return t.async(func(ctx context.Context) func() tea.Cmd {
		chunks, err := open.Next(ctx)
		return func() tea.Cmd { return then(chunks, err) }
	})
}

// send returns a command that sends a message to the host.
func send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }
