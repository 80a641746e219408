package ui

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/later"
	"github.com/hobjobs/hob/ui/components/logview"
	"github.com/hobjobs/hob/ui/components/terminal"
	"github.com/hobjobs/hob/ui/components/toast"
)

// Update handles a message of the host's program. It ignores outdated messages and those of other
// panes, keys without focus, and mouse events outside of the pane.
func (p *Pane) Update(msg tea.Msg) tea.Cmd {
	p.dirty = p.dirty || p.changes(msg)
	cmd := p.update(msg)
	if p.noticeRows() != p.lay.footer.h-1 && p.lay.shape != shapeTooSmall {
		cmd = tea.Batch(cmd, p.arrange())
	}
	return tea.Batch(cmd, p.updateViewed(), p.markSeen())
}

// changes reports whether a message may change what is on screen. New output of a job is visible
// only in its log; the list shows it at the next tick.
func (p *Pane) changes(msg tea.Msg) bool {
	e, ok := msg.(eventsMsg)
	if !ok || e.err != nil || !p.known || p.trouble != "" {
		return true
	}
	return slices.ContainsFunc(e.events, func(e engine.Event) bool {
		return e.Kind != engine.EventOutput || e.Job.ID == p.shown.id && (p.attachment == nil || p.attachment.viaLog)
	})
}

func (p *Pane) update(msg tea.Msg) tea.Cmd {
	if p.ctx.Err() != nil { // closed
		if ask, ok := msg.(AskMsg); ok {
			return refuseAsk(ask)
		}
		return nil
	}
	if !p.focused { // hosts may pass on all messages
		switch msg.(type) {
		case tea.KeyMsg, tea.PasteMsg:
			return nil
		}
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return p.press(msg)
	case tea.KeyReleaseMsg:
		if p.attachment != nil && p.over == nil {
			return p.toTerminal(msg)
		}
	case tea.PasteMsg:
		return p.paste(msg)
	case tea.MouseMsg:
		return p.mouse(msg)
	case AskMsg:
		return p.asked(msg)
	case thenMsg:
		if msg.pane == p {
			return msg.then()
		}
	case eventsMsg:
		if msg.pane == p {
			return p.facts(msg)
		}
	}
	return nil
}

// async runs f as a command, and the function that f returns in Update, unless it is nil.
func (p *Pane) async(f func(ctx context.Context) (then func() tea.Cmd)) tea.Cmd {
	ctx := p.ctx
	return func() tea.Msg {
		if then := f(ctx); then != nil {
			return thenMsg{p, then}
		}
		return nil
	}
}

// after runs then in Update after d.
func (p *Pane) after(d time.Duration, then func() tea.Cmd) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return thenMsg{p, then} })
}

// route makes the result of a component's command come back to this pane.
func (p *Pane) route(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		switch msg := cmd().(type) {
		case nil:
			return nil
		case tea.BatchMsg:
			for i, c := range msg {
				msg[i] = p.route(c)
			}
			return msg
		case later.Msg, logview.CopyMsg, terminal.CopyMsg, logview.NoticeMsg:
			return thenMsg{p, func() tea.Cmd { return p.child(msg) }}
		default: // of the pane itself
			return msg
		}
	}
}

// child handles a message of a component.
func (p *Pane) child(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case later.Msg:
		return p.route(m())
	case logview.CopyMsg:
		what := "selection"
		if m.Line {
			what = "1 line"
		}
		cmd := p.copy(m.Text, what)
		if m.Cut {
			cmd = tea.Batch(cmd, p.showMessage(toast.Warning, "The selection is too long; only a part was copied"))
		}
		return cmd
	case terminal.CopyMsg:
		return p.copy(m.Text, "selection")
	case logview.NoticeMsg:
		if p.prompt != nil { // an incomplete expression often has no matches
			return nil
		}
		return p.showMessage(toast.Info, m.Text)
	}
	return nil
}

// send returns a command that sends a message to the host.
func send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// subscribe opens a new subscription.
func (p *Pane) subscribe() tea.Cmd {
	eng, held, filter := p.eng, p.held, p.opts.filter
	return p.async(func(context.Context) func() tea.Cmd {
		sub := eng.Subscribe(filter)
		if !held.keep(sub) {
			return nil
		}
		return func() tea.Cmd {
			p.sub, p.known = sub, false
			p.attend()
			return p.listen()
		}
	})
}

// attend reports to the engine which job is shown: its log follows output at once, while the list
// shows output of other jobs once per tick.
func (p *Pane) attend() {
	switch {
	case p.sub == nil:
	case p.shown.id == "":
		p.sub.Attend()
	default:
		p.sub.Attend(p.shown.id)
	}
}

// listen waits for the next events. At most one such command runs: each result starts the next.
func (p *Pane) listen() tea.Cmd {
	sub, clock := p.sub, p.opts.clock
	ctx := p.ctx
	return func() tea.Msg {
		events, err := sub.Next(ctx)
		return eventsMsg{p, events, clock(), err}
	}
}

const retryAfter = 2 * time.Second

// facts handles events. A lost subscription is opened again.
func (p *Pane) facts(msg eventsMsg) tea.Cmd {
	switch err := msg.err; {
	case err == nil:
		return tea.Batch(p.handleEvents(msg.events, msg.now), p.listen())
	case errors.Is(err, context.Canceled) || errors.Is(err, engine.ErrClosed):
		return nil
	}
	// The displayed state may be outdated; show that until it is current again.
	p.trouble = hint(msg.err)
	return tea.Batch(p.release(p.sub), p.after(retryAfter, p.subscribe))
}

// release closes something in a command, because closing may block.
func (p *Pane) release(c interface{ Close() error }) tea.Cmd {
	held := p.held
	return func() tea.Msg {
		_ = held.release(c) // the error has no consequence
		return nil
	}
}

// shown is the job in detail and log.
type shown struct {
	id      engine.ID
	known   bool          // the job was known when it was shown
	stream  engine.Stream // stream of the log
	opening bool
	log     openLog
	drew    bool // the job has used the alternate screen
	raw     bool // show the raw log instead of the screen
	last    bool // log is the last screen of a full-screen program
	plain   bool // log is the raw log although there is a last screen
}

// show updates detail and log to the selected job. Only one log is opened at a time, so moving
// quickly through the list opens few logs.
func (p *Pane) show() tea.Cmd {
	id := engine.ID("")
	if p.attachment != nil && p.attachment.viaLog {
		id = p.attachment.id
	} else if j, ok := p.list.Selected(); ok {
		id = j.ID
	}
	j, ok := p.jobs[id]
	if !ok {
		p.showFold()
	}
	if id == p.shown.id && (p.shown.known || !ok) {
		return p.explain()
	}
	p.shown = shown{id: id, known: ok, opening: p.shown.opening, log: p.shown.log}
	p.attend()
	if ok {
		p.shown.drew = j.Alternate
		p.showFacts(j)
	}
	return tea.Batch(p.closeLog(), p.openLog(), p.arrange(), p.explain())
}

// explain finds out once why the shown job failed, which may need more than its records.
func (p *Pane) explain() tea.Cmd {
	j, ok := p.jobs[p.shown.id]
	if !ok || j.asked || !j.Unsuccessful() {
		return nil
	}
	j.asked = true
	eng, id := p.eng, j.ID
	return p.async(func(ctx context.Context) func() tea.Cmd {
		why, err := eng.Finding(ctx, id)
		if err != nil {
			return nil // show the recorded end only
		}
		return func() tea.Cmd {
			j, ok := p.jobs[id]
			if !ok {
				return nil
			}
			j.why = why
			if id == p.shown.id {
				p.showFacts(j)
			}
			return p.settled()
		}
	})
}

// closeLog shows an empty log and closes the previous one.
func (p *Pane) closeLog() tea.Cmd {
	old := p.shown.log
	p.shown.log, p.shown.last, p.shown.plain = nil, false, false
	p.log.SetEmpty("")
	if on, _ := p.onFold(); on {
		p.log.SetEmpty("Select one job to see its log.")
	}
	cmd := p.route(p.log.SetSource(nil, false))
	if old == nil {
		return cmd
	}
	return tea.Batch(cmd, p.release(old))
}

// openLog opens the shown job's log. If another log is being opened, it does so afterwards.
func (p *Pane) openLog() tea.Cmd {
	j, ok := p.jobs[p.shown.id]
	if p.shown.opening || !ok {
		return nil
	}
	p.shown.opening = true
	want := p.shown.stream
	if want == "" {
		want = engine.StreamOutput
		if j.Split {
			want = engine.StreamStdout
		}
	}
	choose := j.Split && p.shown.stream == ""
	ended, raw := j.HasTerminal() && j.Status.Finished(), p.shown.raw
	eng, held, id := p.eng, p.held, j.ID
	return p.async(func(ctx context.Context) func() tea.Cmd {
		drawn, last := false, false
		log, err := eng.OpenLog(ctx, id, want)
		if err == nil && choose {
			log, want = nonEmptyStream(ctx, eng, id, log)
		}
		if err == nil && ended && mostlyDrawn(ctx, log) {
			if left, ok := lastScreen(ctx, eng, id); ok {
				if drawn = true; !raw {
					_ = log.Close() // opened for reading only
					log, last = left, true
				}
			}
		}
		if err == nil && !held.keep(log) {
			return nil
		}
		return func() tea.Cmd { return p.logOpened(openedLog{id, want, log, drawn, last}, err) }
	})
}

// openedLog is the result of opening a log.
type openedLog struct {
	id     engine.ID
	stream engine.Stream
	log    openLog
	drawn  bool // the job used the alternate screen
	last   bool // log is the last screen
}

// nonEmptyStream returns stderr of a split job while its stdout is empty, otherwise stdout.
func nonEmptyStream(ctx context.Context, eng jobEngine, id engine.ID, stdout openLog) (openLog, engine.Stream) {
	if n, err := stdout.Size(ctx); err != nil || n > 0 {
		return stdout, engine.StreamStdout
	}
	stderr, err := eng.OpenLog(ctx, id, engine.StreamStderr)
	if err != nil {
		return stdout, engine.StreamStdout
	}
	if n, err := stderr.Size(ctx); err != nil || n == 0 {
		_ = stderr.Close() // opened for reading only
		return stdout, engine.StreamStdout
	}
	_ = stdout.Close()
	return stderr, engine.StreamStderr
}

func (p *Pane) logOpened(opened openedLog, err error) tea.Cmd {
	p.shown.opening = false
	if opened.id != p.shown.id || p.shown.stream != "" && p.shown.stream != opened.stream || p.shown.raw && opened.last {
		var cmd tea.Cmd
		if opened.log != nil {
			cmd = p.release(opened.log)
		}
		return tea.Batch(cmd, p.openLog())
	}
	if err != nil {
		p.log.SetEmpty("Can't read the log: " + hint(err))
		return nil
	}
	p.shown.log, p.shown.stream = opened.log, opened.stream
	p.shown.last, p.shown.plain = opened.last, opened.drawn && !opened.last
	p.log.SetEmpty(p.emptyLog())
	return p.route(p.log.SetSource(opened.log, !p.opts.log.Stay))
}

func (p *Pane) emptyLog() string {
	if p.shown.last {
		return "Full-screen program; it left nothing on screen."
	}
	if j, ok := p.jobs[p.shown.id]; ok && j.Status.Finished() {
		return "No output."
	}
	return "No output yet."
}
