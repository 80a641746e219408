package ui

import (
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
)

// attachment is a job that owns the keyboard and the whole pane.
type attachment struct {
	id      engine.ID
	fore    bool // asked for by the host: leaving it leaves the pane
	away    bool // just left: sent to the background once no second leave key can come
	viaLog  bool // the job has no terminal: its log is shown instead
	ended   bool
	told    bool         // of its end, or it had ended before
	exit    *engine.Exit // as its terminal told it, which may be before the record does
	opening bool         // a session was asked for
	session *session
	asked   engine.Size          // as the session was last told
	outer   engine.TerminalFacts // with which the session was opened
	typed   []byte               // not yet written
	writing bool
	failed  string
}

const (
	// doubleLeave is how soon a second leave key means the first was meant for
	// the job.
	doubleLeave = 700 * time.Millisecond
	// resizeAfter keeps a job from redrawing for each step of a drag.
	resizeAfter     = 50 * time.Millisecond
	attachmentBytes = 256 << 10
)

// TerminalSize is the size of the terminal of a job that has a pane of w columns
// and h rows: the last row is the pane's own, where there is another. A job that
// starts with it needs not be told of a new one at once.
func TerminalSize(w, h int) engine.Size {
	if h < 2 {
		return engine.Size{Cols: w, Rows: h}
	}
	return engine.Size{Cols: w, Rows: h - 1}
}

// Foreground gives a job the pane and the keyboard. The leave key sends it to
// the background and the host a [BackgroundedMsg]; when it ends, its last screen
// stays until Enter, then the host gets a [LeaveMsg].
func (p *Pane) Foreground(id engine.ID) tea.Cmd {
	p.wish = id
	return p.attach(id, true)
}

// attachTo gives a job the pane and the keyboard because the person asks for it.
func (p *Pane) attachTo(jobs []engine.Job) tea.Cmd { return p.attach(jobs[0].ID, false) }

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
		p.attachment.ended, p.attachment.told = true, true
	}
	p.toasts.Clear()
	p.interrupted = 0
	cmds = append(cmds, p.arrange(), p.openTerminal(), p.tick())
	p.spreadFocus()
	return tea.Batch(cmds...)
}

// openTerminal asks for a session of the size that there is, once there is one.
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

// has reports whether an attachment is not let go of yet.
func (p *Pane) has(a *attachment) bool { return a == p.attachment || a == p.park }

// opened takes the session of an attachment.
func (p *Pane) opened(a *attachment, session *session) tea.Cmd {
	p.dirty = true
	a.session = session
	cmds := []tea.Cmd{p.feed(a), p.resized()}
	if a.outer != p.outer || p.outer == (engine.TerminalFacts{}) {
		cmds = append(cmds, p.reportTerminal(a))
	}
	return tea.Batch(cmds...)
}

// reportTerminal sends what is known of the host's terminal to the session of a, if that
// is open; else it is opened with it.
func (p *Pane) reportTerminal(a *attachment) tea.Cmd {
	if a == nil || a.session == nil || a.ended || !p.outerKnown {
		return nil
	}
	ctx, term, f := p.ctx, a.session.term, p.outer
	return func() tea.Msg {
		_ = term.SetFacts(ctx, f) // the job gets the usual answers then
		return nil
	}
}

// noTerminal falls back to the log of a job that has no screen, or no longer.
func (p *Pane) noTerminal(a *attachment, err error) tea.Cmd {
	p.dirty = true
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
		return p.fail("cannot attach", err)
	}
	cmds := []tea.Cmd{p.leaveJob()}
	if plain {
		p.focus = areaLog
		p.spreadFocus()
		why := "it has no terminal; this is its output"
		switch j, ok := p.jobs[a.id]; {
		case ok && j.Status == engine.Lost:
			why = "it is lost; this is its output up to then"
		case ok && j.Status.Finished():
			why = "it has ended; this is its output"
		case ok && j.Stdin.Writable():
			why = with(why, ",", p.does(p.opts.keys.Panes.SendLine, "sends it a line"))
		}
		return tea.Batch(append(cmds, p.arrange(), p.refuse(why))...)
	}
	return tea.Batch(append(cmds, p.fail("cannot attach", err))...)
}

// feed waits for more of the session of an attachment.
func (p *Pane) feed(a *attachment) tea.Cmd {
	return p.nextChunks(a.session, func(chunks []engine.TerminalChunk, err error) tea.Cmd {
		if !p.has(a) {
			return nil
		}
		return p.fed(a, chunks, err)
	})
}

func (p *Pane) fed(a *attachment, chunks []engine.TerminalChunk, err error) tea.Cmd {
	p.dirty = p.dirty || a == p.attachment
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
		return p.unparkIfEnded(a)
	}
	return tea.Batch(p.typeOn(a), p.feed(a))
}

func (p *Pane) unparkIfEnded(a *attachment) tea.Cmd {
	if a == p.park {
		return p.unpark()
	}
	return nil
}

// toTerminal hands the job a key, a paste or the mouse and sends on what the
// terminal made of it.
func (p *Pane) toTerminal(msg tea.Msg) tea.Cmd {
	if p.attachment.ended || p.attachment.viaLog {
		return nil
	}
	p.dirty = true
	cmd := p.route(p.term.Update(msg))
	return tea.Batch(cmd, p.typeOn(p.attachment))
}

// typeOn writes what was typed. One write is under way at a time, so that what
// was typed arrives in order.
func (p *Pane) typeOn(a *attachment) tea.Cmd {
	a.typed = append(a.typed, p.term.TakeInput()...)
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
		return p.fail("not typed", err)
	}
	return p.typeOn(a)
}

// overBy reports whether err says no more than that the job has ended, or that
// nobody looks at it any longer.
func overBy(a *attachment, err error) bool {
	return a.ended || errors.Is(err, context.Canceled) || errors.Is(err, engine.ErrNotRunning)
}

// resized tells the session of a new size, once it has come to rest.
func (p *Pane) resized() tea.Cmd {
	if p.attachment == nil || p.attachment.session == nil || p.attachment.ended || p.term.Size() == p.attachment.asked {
		return nil
	}
	p.sizeGen++
	gen := p.sizeGen
	return p.after(resizeAfter, func() tea.Cmd {
		if gen != p.sizeGen {
			return nil
		}
		return p.resizeNow()
	})
}

func (p *Pane) resizeNow() tea.Cmd {
	a, size := p.attachment, p.term.Size()
	if a == nil || a.session == nil || size == a.asked || size.Cols == 0 || size.Rows == 0 {
		return nil
	}
	a.asked = size
	if _, control := p.term.Controller(); !control {
		return nil // the size is the viewer's who types
	}
	term := a.session.term
	return p.async(func(ctx context.Context) func() tea.Cmd {
		err := term.Resize(ctx, size)
		if err == nil {
			return nil // the next chunk has the size that holds
		}
		return func() tea.Cmd {
			// A job that keeps its own size is no news either.
			if !p.has(a) || overBy(a, err) || errors.Is(err, engine.ErrUnsupported) {
				return nil
			}
			return p.fail("not resized", err)
		}
	})
}
