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
)

// attachment is a job that has the keyboard and the whole pane.
type attachment struct {
	id       engine.ID
	byHost   bool         // requested with [Pane.Foreground]
	viaLog   bool         // the job has no terminal; its log is shown instead
	reported bool         // the end was reported, or was known before
	exit     *engine.Exit // the end reported by the terminal, possibly before the record
	opening  bool         // a session was requested
	session  *session
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

// TerminalSize returns the size of a job's terminal in a pane of w columns and h rows: the last
// row is the pane's own if there is more than one. A job started with this size need not be
// resized at once.
func TerminalSize(w, h int) engine.Size {
	if h < 2 {
		return engine.Size{Cols: w, Rows: h}
	}
	return engine.Size{Cols: w, Rows: h - 1}
}

// Foreground shows a job in the whole pane and passes it all keys. The leave key sends the job to
// the background and a [BackgroundedMsg] to the host. When the job ends, its last screen stays
// until Enter; then the host gets a [LeaveMsg].
func (p *Pane) Foreground(id engine.ID) tea.Cmd {
	p.selectNext = id
	return p.attach(id, true)
}

// attachTo shows a job in the whole pane at the user's request.
func (p *Pane) attachTo(jobs []engine.Job) tea.Cmd {
	if jobs[0].Host != "" && jobs[0].Link == engine.LinkUnreachable && p.opts.connect != nil {
		return p.reach() // its host must be connected first
	}
	if j := jobs[0]; j.Kind == engine.KindFile { // an empty window until its host answers would promise a terminal
		p.notices.Clear()
		return p.showOutputOnly(j.ID)
	}
	return p.attach(jobs[0].ID, false)
}

// showOutputOnly moves the focus to the log of a job that cannot be attached to, and says why. The user
// may already be typing for the job.
func (p *Pane) showOutputOnly(id engine.ID) tea.Cmd {
	p.focus = areaLog
	p.updateFocus()
	why := "No terminal; showing the output"
	switch j, ok := p.jobs.all[id]; {
	case !ok: // removed meanwhile
	case j.Status == engine.Lost:
		why = "The job is lost; showing its last output"
	case j.Status.Finished():
		why = "The job has exited; showing its output"
	case j.Status == engine.Queued:
		why = "No terminal, and the job is still queued"
	case j.Stdin.Writable():
		why = p.dotted(why, p.does(p.opts.keys.Panes.SendLine, "send line"))
	}
	return tea.Batch(p.arrange(), p.notices.refuse(why), p.ignoring.begin())
}

func (p *Pane) attach(id engine.ID, byHost bool) tea.Cmd {
	event, a := eventAttach, &attachment{id: id, byHost: byHost}
	if j, ok := p.jobs.all[id]; ok && j.Status.Finished() {
		event, a.reported = eventAttachEnded, true
	}
	cmds := []tea.Cmd{p.foregroundEvent(event)}
	p.fore.job = a
	p.modal.over, p.modal.prompt = nil, nil
	p.term.Reset()
	p.notices.Clear()
	p.notices.interrupted = 0
	cmds = append(cmds, p.arrange(), p.openTerminal(), p.tick())
	p.updateFocus()
	return tea.Batch(cmds...)
}

// openTerminal opens a session with the pane's size, once the size is known.
func (p *Pane) openTerminal() tea.Cmd {
	size := p.term.Size()
	a := p.fore.attached()
	if a == nil || a.opening || min(size.Cols, size.Rows) == 0 {
		return nil
	}
	a.opening, a.asked, a.outer = true, size, p.outer.TerminalFacts
	o := engine.TerminalOptions{
		Control:    true,
		Size:       size,
		Client:     client,
		Scrollback: attachmentBytes,
		Facts:      p.outer.TerminalFacts,
	}
	return p.tasks.openSession(a.id, o, func(open *session, err error) tea.Cmd {
		if !p.fore.has(a) {
			return p.tasks.releaseSession(open)
		}
		if err != nil {
			return p.noTerminal(a, err)
		}
		return p.opened(a, open)
	})
}

// opened receives the session of an attachment.
func (p *Pane) opened(a *attachment, session *session) tea.Cmd {
	a.session = session
	cmds := []tea.Cmd{p.feed(a), p.resized()}
	if a.outer != p.outer.TerminalFacts || a.outer == (engine.TerminalFacts{}) {
		cmds = append(cmds, p.reportTerminal(a))
	}
	return tea.Batch(cmds...)
}

// reportTerminal sends the facts of the host's terminal to the session of a, if it is open.
// Otherwise the session will be opened with them.
func (p *Pane) reportTerminal(a *attachment) tea.Cmd {
	if !a.open() || p.fore.ended() || !p.outer.known {
		return nil
	}
	ctx, term, f := p.tasks.ctx, a.session.term, p.outer.TerminalFacts
	return func() tea.Msg {
		_ = term.SetFacts(ctx, f) // the job keeps getting the default answers
		return nil
	}
}

// noTerminal shows the log of a job that has no screen, or no longer has one.
func (p *Pane) noTerminal(a *attachment, err error) tea.Cmd {
	plain := errors.Is(err, engine.ErrUnsupported) || errors.Is(err, engine.ErrNotRunning)
	if a.byHost && plain {
		a.viaLog = true
		p.updateFocus()
		return tea.Batch(p.show(), p.arrange())
	}
	a.failed = hint(err)
	event, left := eventOpenRefused, p.fore.isLeft()
	if a.byHost {
		event = eventOpenFailed
	}
	cmd := p.foregroundEvent(event)
	switch {
	case left:
		return cmd
	case plain:
		return tea.Batch(cmd, p.showOutputOnly(a.id))
	}
	return tea.Batch(cmd, p.notices.fail("Can't attach", err))
}

// feed waits for the next chunk of an attachment's session.
func (p *Pane) feed(a *attachment) tea.Cmd {
	return p.tasks.nextChunks(a.session, func(chunks []engine.TerminalChunk, err error) tea.Cmd {
		if !p.fore.has(a) {
			return nil
		}
		return p.fed(a, chunks, err)
	})
}

func (p *Pane) fed(a *attachment, chunks []engine.TerminalChunk, err error) tea.Cmd {
	for _, c := range chunks {
		p.term.Feed(c)
		if c.Exit != nil {
			a.exit = c.Exit
		}
	}
	if err != nil {
		if p.fore.ended() || errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) {
			return nil
		}
		a.failed = hint(err)
		return p.foregroundEvent(eventLost)
	}
	if a.exit != nil {
		event := eventJobEnded
		if !a.byHost && strings.TrimSpace(p.term.Text()) == "" { // as full-screen programs leave it
			event = eventEndedEmpty
		}
		return p.foregroundEvent(event)
	}
	return tea.Batch(p.typeOn(a), p.feed(a))
}

// resized sends a new size to the session, once the size has stopped changing.
func (p *Pane) resized() tea.Cmd {
	a := p.fore.attached()
	if !a.open() || p.fore.ended() || p.term.Size() == a.asked {
		return nil
	}
	return p.tasks.latest(&a.resizes, resizeAfter, p.resizeNow)
}

func (p *Pane) resizeNow() tea.Cmd {
	a, size := p.fore.attached(), p.term.Size()
	hasRoom := min(size.Cols, size.Rows) > 0
	if !a.open() || !hasRoom || size == a.asked {
		return nil
	}
	a.asked = size
	if _, control := p.term.Controller(); !control {
		return nil // the client in control sets the size
	}
	term := a.session.term
	return p.tasks.async(func(ctx context.Context) func() tea.Cmd {
		err := term.Resize(ctx, size)
		if err == nil {
			return nil // the next chunk has the current size
		}
		return func() tea.Cmd {
			// It is not an error if a job keeps its own size.
			if !p.fore.has(a) || p.overBy(err) || errors.Is(err, engine.ErrUnsupported) {
				return nil
			}
			return p.notices.fail("Can't resize", err)
		}
	})
}

// toTerminal passes a key, a paste or a mouse event to the terminal and sends the resulting input
// to the job.
func (p *Pane) toTerminal(msg tea.Msg) tea.Cmd {
	if p.fore.ended() || p.fore.job.viaLog {
		return nil
	}
	cmd := p.tasks.route(p.term.Update(msg))
	return tea.Batch(cmd, p.typeOn(p.fore.job))
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
	return p.tasks.async(func(ctx context.Context) func() tea.Cmd {
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
	if !p.fore.has(a) {
		return nil
	}
	a.writing = false
	if err != nil {
		a.typed = nil
		if p.overBy(err) {
			return nil
		}
		return p.notices.fail("Can't type into the job", err)
	}
	return p.typeOn(a)
}

// overBy reports whether err only means that the job has ended or that its session was closed.
func (p *Pane) overBy(err error) bool {
	return p.fore.ended() || errors.Is(err, context.Canceled) || errors.Is(err, engine.ErrNotRunning)
}
