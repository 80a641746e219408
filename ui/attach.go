package ui

import (
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/ui/components/toast"
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
