package ui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/logview"
	"github.com/hobjobs/hob/ui/components/terminal"
	"github.com/hobjobs/hob/ui/components/toast"
)

// Update takes a message of the host's program. Messages of other panes and
// stale ones change nothing, nor do keys while the pane has not the focus and the
// mouse where the pane is not.
func (p *Pane) Update(msg tea.Msg) tea.Cmd {
	if s, ok := msg.(stamped); ok && s.owner() != p {
		return nil
	}
	if p.ctx.Err() != nil { // closed
		if ask, ok := msg.(AskMsg); ok {
			return refuseAsk(ask)
		}
		return nil
	}
	if !p.focused { // a host may pass on all that it gets
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
	case childMsg:
		return p.child(msg)
	case eventsMsg:
		return p.facts(msg)
	case tickMsg:
		if msg.gen == p.tickGen {
			return p.ticked(msg)
		}
	case thenMsg:
		return msg.then()
	}
	return nil
}

// async runs f outside of Update, and in Update what that returns; nil: nothing.
func (p *Pane) async(f func(ctx context.Context) (then func() tea.Cmd)) tea.Cmd {
	s, ctx := stamp{pane: p}, p.ctx
	return func() tea.Msg {
		if then := f(ctx); then != nil {
			return thenMsg{s, then}
		}
		return nil
	}
}

// after runs then in Update once d is over.
func (p *Pane) after(d time.Duration, then func() tea.Cmd) tea.Cmd {
	s := stamp{pane: p}
	return tea.Tick(d, func(time.Time) tea.Msg { return thenMsg{s, then} })
}

// route makes a component's command answer to this pane.
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
		default:
			return childMsg{stamp{pane: p}, msg}
		}
	}
}

// child takes a message of a component.
func (p *Pane) child(msg childMsg) tea.Cmd {
	p.dirty = true
	switch m := msg.msg.(type) {
	case logview.CopyMsg:
		what := "selection"
		if m.Line {
			what = "line"
		}
		cmd := p.copy(m.Text, what)
		if m.Cut {
			cmd = tea.Batch(cmd, p.say(toast.Warning, "not all of it is copied: it is too long"))
		}
		return cmd
	case terminal.CopyMsg:
		return p.copy(m.Text, "selection")
	case logview.NoticeMsg:
		if p.prompt != nil { // half a word need not match
			return nil
		}
		return p.say(toast.Info, m.Text)
	}
	// The two ignore what is not their own.
	return tea.Batch(p.route(p.term.Update(msg.msg)), p.route(p.log.Update(msg.msg)))
}

// send makes a command that hands a message to the host.
func send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// subscribe opens the engine's facts anew.
func (p *Pane) subscribe() tea.Cmd {
	p.subGen++
	gen, eng, held := p.subGen, p.eng, p.held
	return p.async(func(context.Context) func() tea.Cmd {
		sub := eng.Subscribe(engine.Filter{})
		if !held.keep(sub) {
			return nil
		}
		return func() tea.Cmd {
			if gen != p.subGen {
				return p.release(sub)
			}
			p.sub, p.known = sub, false
			p.attend()
			return p.listen()
		}
	})
}

// attend says which job is looked at: its log follows its output at once, while the
// list shows that of the others from tick to tick.
func (p *Pane) attend() {
	switch {
	case p.sub == nil:
	case p.shown.id == "":
		p.sub.Attend()
	default:
		p.sub.Attend(p.shown.id)
	}
}

// listen waits for the next facts. Exactly one listener is in flight: each
// message makes the next.
func (p *Pane) listen() tea.Cmd {
	s, ctx, sub, clock := stamp{p, p.subGen}, p.ctx, p.sub, p.opts.clock
	return func() tea.Msg {
		events, err := sub.Next(ctx)
		return eventsMsg{s, events, clock(), err}
	}
}

const retryAfter = 2 * time.Second

// facts takes what a subscription brings. One that is lost is opened again.
func (p *Pane) facts(msg eventsMsg) tea.Cmd {
	switch {
	case msg.gen != p.subGen:
		return nil
	case msg.err == nil:
		return tea.Batch(p.took(msg), p.listen())
	case errors.Is(msg.err, context.Canceled) || errors.Is(msg.err, engine.ErrClosed):
		return nil
	}
	// What is shown may be old now, and says so until it is not.
	p.trouble, p.dirty = hint(msg.err), true
	return tea.Batch(p.release(p.sub), p.after(retryAfter, func() tea.Cmd {
		if msg.gen != p.subGen {
			return nil
		}
		return p.subscribe()
	}))
}

// release closes something that the pane held, in a command: closing may wait.
func (p *Pane) release(c interface{ Close() error }) tea.Cmd {
	held := p.held
	return func() tea.Msg {
		_ = held.release(c) // there is nothing to do about it
		return nil
	}
}

// shown is the job in detail and log.
type shown struct {
	id      engine.ID
	known   bool          // facts about it had come when it was shown
	stream  engine.Stream // whose log is shown
	opening bool
	log     openLog
	drew    bool // it was seen drawing on the whole screen
	raw     bool // the log is wanted as it was written, not the screen
	last    bool // log is the last screen of a job that drew
	plain   bool // log is as it was written, though there is a last screen
}

// show brings detail and log to the selected job. One log is opened at a time:
// whoever runs through the list opens only those where they rest.
func (p *Pane) show() tea.Cmd {
	id := engine.ID("")
	if p.attachment != nil && p.attachment.viaLog {
		id = p.attachment.id
	} else if j, ok := p.list.Selected(); ok {
		id = j.ID
	}
	j, ok := p.jobs[id]
	if id == p.shown.id && (p.shown.known || !ok) {
		p.looked()
		return nil
	}
	p.dirty = true
	p.shown = shown{id: id, known: ok, opening: p.shown.opening, log: p.shown.log}
	p.attend()
	if ok {
		p.shown.drew = j.Alternate
		p.detail.SetJob(j.Job)
	} else {
		p.detail.Clear()
	}
	p.looked()
	return tea.Batch(p.closeLog(), p.openLog(), p.arrange())
}

// closeLog shows an empty log and lets go of the old one.
func (p *Pane) closeLog() tea.Cmd {
	old := p.shown.log
	p.shown.log, p.shown.last, p.shown.plain = nil, false, false
	p.log.SetEmpty("")
	cmd := p.route(p.log.SetSource(nil, false))
	if old == nil {
		return cmd
	}
	return tea.Batch(cmd, p.release(old))
}

// openLog opens the shown job's log, unless one is being opened: then it is
// this one's turn after.
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
			log, want = fuller(ctx, eng, id, log)
		}
		if err == nil && ended && mostlyDrawn(ctx, log) {
			if left, ok := lastScreen(ctx, eng, id); ok {
				if drawn = true; !raw {
					_ = log.Close() // only looked at
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

// openedLog is a log that was opened to be shown.
type openedLog struct {
	id     engine.ID
	stream engine.Stream
	log    openLog
	drawn  bool // the job drew on the whole screen
	last   bool // log is its last screen
}

// fuller prefers a job's stderr while its stdout is empty.
func fuller(ctx context.Context, eng jobEngine, id engine.ID, stdout openLog) (openLog, engine.Stream) {
	if n, err := stdout.Size(ctx); err != nil || n > 0 {
		return stdout, engine.StreamStdout
	}
	stderr, err := eng.OpenLog(ctx, id, engine.StreamStderr)
	if err != nil {
		return stdout, engine.StreamStdout
	}
	if n, err := stderr.Size(ctx); err != nil || n == 0 {
		_ = stderr.Close() // only looked at
		return stdout, engine.StreamStdout
	}
	_ = stdout.Close()
	return stderr, engine.StreamStderr
}

func (p *Pane) logOpened(opened openedLog, err error) tea.Cmd {
	p.shown.opening = false
	p.dirty = true
	if opened.id != p.shown.id || p.shown.stream != "" && p.shown.stream != opened.stream || p.shown.raw && opened.last {
		var cmd tea.Cmd
		if opened.log != nil {
			cmd = p.release(opened.log)
		}
		return tea.Batch(cmd, p.openLog())
	}
	if err != nil {
		p.log.SetEmpty("The output cannot be read: " + hint(err))
		return nil
	}
	p.shown.log, p.shown.stream = opened.log, opened.stream
	p.shown.last, p.shown.plain = opened.last, opened.drawn && !opened.last
	p.log.SetEmpty(p.emptyLog())
	return p.route(p.log.SetSource(opened.log, !p.opts.log.Stay))
}

func (p *Pane) emptyLog() string {
	if p.shown.last {
		return "It drew on the whole screen and left nothing there."
	}
	if j, ok := p.jobs[p.shown.id]; ok && j.Status.Finished() {
		return "It printed nothing."
	}
	return "No output yet."
}
