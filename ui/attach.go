package ui

import (
	"context"
	"errors"
	"io"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
)

// attachment is a job that has the keyboard and the whole pane.
type attachment struct {
	id       engine.ID
	fore     bool // requested by the host: detaching leaves the pane
	away     bool // just detached; sent to the background once a second leave key can no longer follow
	viaLog   bool // the job has no terminal; its log is shown instead
	ended    bool
	reported bool         // the end was reported, or was known before
	exit     *engine.Exit // the end reported by the terminal, possibly before the record
	opening  bool         // a session was requested
	session  *session
	asked    engine.Size          // the size last requested from the session
	outer    engine.TerminalFacts // terminal facts with which the session was opened
	typed    []byte               // input that is not written yet
	writing  bool
	line     int // characters of the line that the user types
	failed   string
}

const (
	// doubleLeave is the time within which a second leave key means that the job should get it.
	doubleLeave = 700 * time.Millisecond
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
	p.wish = id
	return p.attach(id, true)
}

// attachTo shows a job in the whole pane at the user's request.
func (p *Pane) attachTo(jobs []engine.Job) tea.Cmd {
	if jobs[0].Host != "" && jobs[0].Link == engine.LinkUnreachable && p.opts.connect != nil {
		return p.reach() // its host must be connected first
	}
	if j := jobs[0]; j.Kind == engine.KindFile { // an empty window until its host answers would promise a terminal
		p.toasts.Clear()
		return p.showOutputOnly(j.ID)
	}
	return p.attach(jobs[0].ID, false)
}

// showOutputOnly moves the focus to the log of a job that cannot be attached to, and says why. The user
// may already be typing for the job.
func (p *Pane) showOutputOnly(id engine.ID) tea.Cmd {
	p.focus = areaLog
	p.spreadFocus()
	why := "No terminal; showing the output"
	switch j, ok := p.jobs[id]; {
	case ok && j.Status == engine.Lost:
		why = "The job is lost; showing its last output"
	case ok && j.Status.Finished():
		why = "The job has exited; showing its output"
	case ok && j.Status == engine.Queued:
		why = "No terminal, and the job is still queued"
	case ok && j.Stdin.Writable():
		why = p.dotted(why, p.does(p.opts.keys.Panes.SendLine, "send line"))
	}
	return tea.Batch(p.arrange(), p.refuse(why), p.ignoreKeys())
}

func (p *Pane) attach(id engine.ID, fore bool) tea.Cmd {
	cmds := []tea.Cmd{p.unpark()}
	if p.attachment != nil {
		cmds = append(cmds, p.letGo(p.attachment))
	}
	p.over, p.prompt = nil, nil
	p.term.Reset()
	p.chordGen++
	p.attachment = &attachment{id: id, fore: fore}
	if j, ok := p.jobs[id]; ok && j.Status.Finished() {
		p.attachment.ended, p.attachment.reported = true, true
	}
	p.toasts.Clear()
	p.interrupted = 0
	cmds = append(cmds, p.arrange(), p.openTerminal(), p.tick())
	p.spreadFocus()
	return tea.Batch(cmds...)
}

// openTerminal opens a session with the pane's size, once the size is known.
func (p *Pane) openTerminal() tea.Cmd {
	size := p.term.Size()
	if p.attachment == nil || p.attachment.opening || size.Cols == 0 || size.Rows == 0 {
		return nil
	}
	a := p.attachment
	a.opening, a.asked, a.outer = true, size, p.outer
	o := engine.TerminalOptions{Control: true, Size: size, Client: client, Scrollback: attachmentBytes, Facts: p.outer}
	return p.openSession(a.id, o, func(open *session, err error) tea.Cmd {
		switch {
		case !p.has(a) && open != nil:
			return p.release(open)
		case !p.has(a):
			return nil
		case err != nil:
			return p.noTerminal(a, err)
		}
		return p.opened(a, open)
	})
}

// has reports whether an attachment is still in use.
func (p *Pane) has(a *attachment) bool { return a == p.attachment || a == p.park }

// opened receives the session of an attachment.
func (p *Pane) opened(a *attachment, session *session) tea.Cmd {
	a.session = session
	cmds := []tea.Cmd{p.feed(a), p.resized()}
	if a.outer != p.outer || p.outer == (engine.TerminalFacts{}) {
		cmds = append(cmds, p.reportTerminal(a))
	}
	return tea.Batch(cmds...)
}

// reportTerminal sends the facts of the host's terminal to the session of a, if it is open.
// Otherwise the session will be opened with them.
func (p *Pane) reportTerminal(a *attachment) tea.Cmd {
	if a == nil || a.session == nil || a.ended || !p.outerKnown {
		return nil
	}
	ctx, term, f := p.ctx, a.session.term, p.outer
	return func() tea.Msg {
		_ = term.SetFacts(ctx, f) // the job keeps getting the default answers
		return nil
	}
}

// noTerminal shows the log of a job that has no screen, or no longer has one.
func (p *Pane) noTerminal(a *attachment, err error) tea.Cmd {
	if a != p.attachment {
		return nil
	}
	plain := errors.Is(err, engine.ErrUnsupported) || errors.Is(err, engine.ErrNotRunning)
	if a.fore && plain {
		a.viaLog = true
		p.spreadFocus()
		return tea.Batch(p.show(), p.arrange())
	}
	a.failed = hint(err)
	if a.fore {
		return p.fail("Can't attach", err)
	}
	cmds := []tea.Cmd{p.leaveJob()}
	if plain {
		return tea.Batch(append(cmds, p.showOutputOnly(a.id))...)
	}
	return tea.Batch(append(cmds, p.fail("Can't attach", err))...)
}

// feed waits for the next chunk of an attachment's session.
func (p *Pane) feed(a *attachment) tea.Cmd {
	return p.nextChunks(a.session, func(chunks []engine.TerminalChunk, err error) tea.Cmd {
		if !p.has(a) {
			return nil
		}
		return p.fed(a, chunks, err)
	})
}

func (p *Pane) fed(a *attachment, chunks []engine.TerminalChunk, err error) tea.Cmd {
	for _, c := range chunks {
		p.term.Feed(c)
		if c.Exit != nil {
			a.ended, a.exit = true, c.Exit
		}
	}
	if err != nil {
		if !a.ended && !errors.Is(err, context.Canceled) && !errors.Is(err, io.EOF) {
			a.failed = hint(err)
		}
		return nil
	}
	if a.ended {
		p.spreadFocus()
		if a == p.park {
			return p.unpark()
		}
		return p.leaveEmpty(a)
	}
	return tea.Batch(p.typeOn(a), p.feed(a))
}

// resized sends a new size to the session, once the size has stopped changing.
func (p *Pane) resized() tea.Cmd {
	if p.attachment == nil || p.attachment.session == nil || p.attachment.ended || p.term.Size() == p.attachment.asked {
		return nil
	}
	return p.latest(&p.sizeGen, resizeAfter, p.resizeNow)
}

func (p *Pane) resizeNow() tea.Cmd {
	a, size := p.attachment, p.term.Size()
	if a == nil || a.session == nil || size == a.asked || size.Cols == 0 || size.Rows == 0 {
		return nil
	}
	a.asked = size
	if _, control := p.term.Controller(); !control {
		return nil // the client in control sets the size
	}
	term := a.session.term
	return p.async(func(ctx context.Context) func() tea.Cmd {
		err := term.Resize(ctx, size)
		if err == nil {
			return nil // the next chunk has the current size
		}
		return func() tea.Cmd {
			// It is not an error if a job keeps its own size.
			if !p.has(a) || overBy(a, err) || errors.Is(err, engine.ErrUnsupported) {
				return nil
			}
			return p.fail("Can't resize", err)
		}
	})
}

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
