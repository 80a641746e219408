package ui

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/internal/session"
)

// attachment is a job that has the keyboard and the whole pane.
type attachment struct {
	id       engine.ID
	byHost   bool         // requested with [Pane.Foreground]
	viaLog   bool         // the job has no terminal; its log is shown instead
	reported bool         // the end was reported, or was known before
	exit     *engine.Exit // the end reported by the terminal, possibly before the record
	opening  bool         // a session was requested
	session  *session.Session
	resizes  int                  // number of the wait for a resize
	asked    engine.Size          // the size last requested from the session
	outer    engine.TerminalFacts // terminal facts with which the session was opened
	typed    []byte               // input that is not written yet
	writing  bool
	line     int // characters of the line that the user types
	failed   string
}

// open reports whether there is an attachment with a session.
func (a *attachment) open() bool { return a != nil && a.session != nil }

const (
	// resizeAfter delays resizing, so that a job does not redraw at each step of a drag.
	resizeAfter     = 50 * time.Millisecond
	attachmentBytes = 256 << 10
)

// outerTerminal has the facts of the host's terminal.
type outerTerminal struct {
	engine.TerminalFacts
	known bool // the host has set them
}

// setFacts sets the facts of the host's terminal, with which queries of the job are answered.
func (f *foreground) setFacts(facts engine.TerminalFacts) tea.Cmd {
	f.outer = outerTerminal{facts, true}
	f.term.SetDistinctEscape(facts.KittyKeyboard)
	return f.reportTerminal(f.job)
}

// attach attaches a job. Its session is opened once the size of the terminal is known.
func (f *foreground) attach(id engine.ID, byHost bool) tea.Cmd {
	event, a := eventAttach, &attachment{id: id, byHost: byHost}
	if f.jobs.finished(id) {
		event, a.reported = eventAttachEnded, true
	}
	cmd := f.event(event)
	f.job = a
	f.term.Reset()
	return cmd
}

// open opens a session with the pane's size, once the size is known.
func (f *foreground) open() tea.Cmd {
	size := f.term.Size()
	a := f.attached()
	if a == nil || a.opening || min(size.Cols, size.Rows) == 0 {
		return nil
	}
	a.opening, a.asked, a.outer = true, size, f.outer.TerminalFacts
	o := engine.TerminalOptions{
		Control:    true,
		Size:       size,
		Client:     client,
		Scrollback: attachmentBytes,
		Facts:      f.outer.TerminalFacts,
	}
	return f.tasks.openSession(a.id, o, func(open *session.Session, err error) tea.Cmd {
		if !f.has(a) {
			return f.tasks.releaseSession(open)
		}
		if err != nil {
			return f.noTerminal(a, err)
		}
		return f.opened(a, open)
	})
}

// opened receives the session of an attachment.
func (f *foreground) opened(a *attachment, open *session.Session) tea.Cmd {
	a.session = open
	cmds := []tea.Cmd{f.feed(a), f.resized()}
	if a.outer != f.outer.TerminalFacts || a.outer == (engine.TerminalFacts{}) {
		cmds = append(cmds, f.reportTerminal(a))
	}
	return tea.Batch(cmds...)
}

// reportTerminal sends the facts of the host's terminal to the session of a, if it is open.
// Otherwise the session will be opened with them.
func (f *foreground) reportTerminal(a *attachment) tea.Cmd {
	if !a.open() || f.ended() || !f.outer.known {
		return nil
	}
	ctx, term, facts := f.tasks.ctx, a.session.Terminal, f.outer.TerminalFacts
	return func() tea.Msg {
		_ = term.SetFacts(ctx, facts) // the job keeps getting the default answers
		return nil
	}
}

// noTerminal shows the log of a job that has no screen, or no longer has one.
func (f *foreground) noTerminal(a *attachment, err error) tea.Cmd {
	plain := isAny(err, engine.ErrUnsupported, engine.ErrNotRunning)
	if a.byHost && plain {
		a.viaLog = true
		return f.panes.showAttached()
	}
	a.failed = hint(err)
	event, left := eventOpenRefused, f.isLeft()
	if a.byHost {
		event = eventOpenFailed
	}
	cmd := f.event(event)
	switch {
	case left:
		return cmd
	case plain:
		return tea.Batch(cmd, f.panes.showOutputOnly(a.id))
	}
	return tea.Batch(cmd, f.notices.fail("Can't attach", err))
}

// feed waits for the next chunk of an attachment's session.
func (f *foreground) feed(a *attachment) tea.Cmd {
	return f.tasks.nextChunks(a.session, func(chunks []engine.TerminalChunk, err error) tea.Cmd {
		if !f.has(a) {
			return nil
		}
		return f.fed(a, chunks, err)
	})
}

func (f *foreground) fed(a *attachment, chunks []engine.TerminalChunk, err error) tea.Cmd {
	for _, c := range chunks {
		f.term.Feed(c)
		if c.Exit != nil {
			a.exit = c.Exit
		}
	}
	if err != nil {
		if f.ended() || isAny(err, context.Canceled, io.EOF) {
			return nil
		}
		a.failed = hint(err)
		return f.event(eventLost)
	}
	if a.exit != nil {
		event := eventJobEnded
		if !a.byHost && strings.TrimSpace(f.term.Text()) == "" { // as full-screen programs leave it
			event = eventEndedEmpty
		}
		return f.event(event)
	}
	return tea.Batch(f.typeOn(a), f.feed(a))
}

// resized sends a new size to the session, once the size has stopped changing.
func (f *foreground) resized() tea.Cmd {
	a := f.attached()
	if !a.open() || f.ended() || f.term.Size() == a.asked {
		return nil
	}
	return f.tasks.latest(&a.resizes, resizeAfter, f.resizeNow)
}

func (f *foreground) resizeNow() tea.Cmd {
	a, size := f.attached(), f.term.Size()
	hasRoom := min(size.Cols, size.Rows) > 0
	if !a.open() || !hasRoom || size == a.asked {
		return nil
	}
	a.asked = size
	if _, control := f.term.Controller(); !control {
		return nil // the client in control sets the size
	}
	term := a.session.Terminal
	return f.tasks.async(func(ctx context.Context) func() tea.Cmd {
		err := term.Resize(ctx, size)
		if err == nil {
			return nil // the next chunk has the current size
		}
		return func() tea.Cmd {
			// It is not an error if a job keeps its own size.
			if !f.has(a) || f.overBy(err) || errors.Is(err, engine.ErrUnsupported) {
				return nil
			}
			return f.notices.fail("Can't resize", err)
		}
	})
}

// input passes a key, a paste or a mouse event to the terminal and sends the resulting input
// to the job.
func (f *foreground) input(msg tea.Msg) tea.Cmd {
	if f.ended() || f.job.viaLog {
		return nil
	}
	cmd := f.tasks.route(f.term.Update(msg))
	return tea.Batch(cmd, f.typeOn(f.job))
}

// typeOn writes pending input. Only one write runs at a time, to keep the order.
func (f *foreground) typeOn(a *attachment) tea.Cmd {
	input := f.term.TakeInput()
	a.line = lineLength(a.line, string(input))
	a.typed = append(a.typed, input...)
	if a.writing || a.session == nil || len(a.typed) == 0 {
		return nil
	}
	text := a.typed
	a.typed, a.writing = nil, true
	_, control := f.term.Controller()
	size := f.term.Size()
	term := a.session.Terminal
	return f.tasks.async(func(ctx context.Context) func() tea.Cmd {
		err := engine.Type(ctx, term, control, size, text)
		return func() tea.Cmd { return f.wrote(a, err) }
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

func (f *foreground) wrote(a *attachment, err error) tea.Cmd {
	if !f.has(a) {
		return nil
	}
	a.writing = false
	if err != nil {
		a.typed = nil
		if f.overBy(err) {
			return nil
		}
		return f.notices.fail("Can't type into the job", err)
	}
	return f.typeOn(a)
}

// overBy reports whether err only means that the job has ended or that its session was closed.
func (f *foreground) overBy(err error) bool {
	return f.ended() || isAny(err, context.Canceled, engine.ErrNotRunning)
}
