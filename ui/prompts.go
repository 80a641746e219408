package ui

import (
	"context"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// footerPrompt is a prompt in place of the footer. Its functions are its purpose; a nil function
// does nothing.
type footerPrompt struct {
	line    *prompt.Line
	press   func(msg tea.KeyPressMsg) (cmd tea.Cmd, ok bool) // handles keys before the line
	changed func() tea.Cmd                                   // runs after each change of the text
	note    func() string                                    // text to the right of the line
	accept  func() tea.Cmd
	cancel  func() tea.Cmd // runs after it was canceled
	left    func() tea.Cmd // runs after a click elsewhere; nil: cancel
	sending *sending       // set if the line is sent to a job
}

func (p *Pane) openPrompt(f *footerPrompt) tea.Cmd {
	p.prompt = f
	p.notices.DropAnswers()
	f.line.SetWidth(p.lay.footer.w)
	p.updateFocus()
	return nil
}

func (p *Pane) closePrompt() {
	p.prompt = nil
	p.updateFocus()
}

func (l *labels) newLine(o prompt.Options) *prompt.Line {
	return prompt.NewLine(l.promptKeys(), l.styles, o)
}

func (p *Pane) openFilter() tea.Cmd {
	p.focus = areaList
	before := p.list.Filter()
	cancel := "clear"
	if before != "" {
		cancel = "cancel"
	}
	line := p.newLine(prompt.Options{Label: "/", Verb: "apply", CancelVerb: cancel, Placeholder: "name, command, host, status:failed, host:web1"})
	line.SetValue(before)
	filter := func(text string) tea.Cmd {
		p.list.SetFilter(text)
		return p.show()
	}
	keep := func() tea.Cmd {
		p.closePrompt()
		return p.show()
	}
	cmd := p.openPrompt(&footerPrompt{
		line: line, accept: keep, left: keep,
		press: func(msg tea.KeyPressMsg) (tea.Cmd, bool) { // keys that move the selection keep working
			if msg.Code != tea.KeyUp && msg.Code != tea.KeyDown {
				return nil, false
			}
			return p.toFocused(msg), true
		},
		changed: func() tea.Cmd { return filter(line.Value()) },
		note: func() string {
			all, shown := p.list.Len()
			return strconv.Itoa(shown) + " of " + strconv.Itoa(all)
		},
		cancel: func() tea.Cmd { return filter(before) },
	})
	return tea.Batch(cmd, p.arrange())
}

// openJump asks for a percentage and goes there in the log.
func (p *Pane) openJump() tea.Cmd {
	line := p.newLine(prompt.Options{Label: "Go to (0-100 %): ", Verb: "go"})
	return p.openPrompt(&footerPrompt{line: line, accept: func() tea.Cmd { return p.jump(line) }})
}

func (p *Pane) jump(line *prompt.Line) tea.Cmd {
	percent, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line.Value()), "%")))
	if err != nil || percent < 0 || percent > 100 {
		line.SetError("not a number from 0 to 100")
		return nil
	}
	p.closePrompt()
	if err := p.output.log.Err(); err != nil {
		return p.notices.refuse("Can't read the log: " + hint(err))
	}
	return p.tasks.route(p.output.log.JumpPercent(percent))
}

func (p *Pane) pressPrompt(msg tea.KeyPressMsg) tea.Cmd {
	p.guardLine()
	f, in := p.prompt, p.opts.keys.Input
	switch {
	case keymap.Match(msg, in.Cancel):
		return p.cancelPrompt(f)
	case keymap.Match(msg, in.Accept):
		return f.accept()
	}
	if f.press != nil {
		if cmd, ok := f.press(msg); ok {
			return cmd
		}
	}
	return p.editPrompt(f, msg)
}

// editPrompt passes a message to the line and applies its changes.
func (p *Pane) editPrompt(f *footerPrompt, msg tea.Msg) tea.Cmd {
	before := f.line.Value()
	f.line.Update(msg)
	if f.changed == nil || f.line.Value() == before {
		return nil
	}
	return f.changed()
}

func (p *Pane) cancelPrompt(f *footerPrompt) tea.Cmd {
	p.closePrompt()
	if f.cancel == nil {
		return nil
	}
	return f.cancel()
}

// leavePrompt closes a prompt after a click elsewhere: a filter or search is kept, other input is
// dropped.
func (p *Pane) leavePrompt(f *footerPrompt) tea.Cmd {
	if f.left == nil {
		return p.cancelPrompt(f)
	}
	return f.left()
}

// paste passes pasted text to the attached job or to the prompt.
func (p *Pane) paste(msg tea.PasteMsg) tea.Cmd {
	switch {
	case p.hostTakesOver():
		return nil
	case p.over != nil:
		return p.updateOver(msg)
	case p.fore.attached() != nil:
		return p.toTerminal(msg)
	case p.prompt != nil:
		return p.editPrompt(p.prompt, msg)
	}
	return nil
}

// sending is a line that the user types for a job.
type sending struct {
	job    engine.Job
	secret bool         // neither show nor keep the text
	asks   bool         // the entry is being requested from the job's host
	entry  engine.Entry // the job's entry, as last requested from its host
}

// sendLine opens a prompt for a line to a job, without attaching. It restores a line that was not
// sent.
func (p *Pane) sendLine(jobs []engine.Job) tea.Cmd {
	s := &sending{job: jobs[0]}
	f := &footerPrompt{sending: s}
	f.accept = func() tea.Cmd {
		p.closePrompt()
		return p.acceptLine(s, f.line.Value())
	}
	f.cancel = func() tea.Cmd {
		if !s.secret {
			p.history.keep(s.job.ID, f.line.Value())
		}
		return nil
	}
	s.secret = p.asksSecret(s.job)
	f.line = p.lineFor(s)
	if !s.secret {
		f.line.SetValue(p.history.unsent[s.job.ID])
	}
	return tea.Batch(p.openPrompt(f), p.askEntry(s))
}

// sendingTo returns the open prompt for a job, or nil.
func (p *Pane) sendingTo(id engine.ID) *sending {
	if f := p.prompt; f != nil && f.sending != nil && f.sending.job.ID == id {
		return f.sending
	}
	return nil
}

// askEntry asks the host of a job whether its terminal echoes: events report that late.
func (p *Pane) askEntry(line *sending) tea.Cmd {
	if line.job.Host == "" || !line.job.HasTerminal() || line.asks {
		return nil
	}
	line.asks = true
	eng, id := p.tasks.eng, line.job.ID
	return p.tasks.async(func(ctx context.Context) func() tea.Cmd {
		entry, err := eng.Entry(ctx, id)
		if err != nil {
			entry = engine.EntryUnknown // decide by the output
		}
		return func() tea.Cmd {
			line.asks, line.entry = false, entry
			p.guardLine()
			return nil
		}
	})
}

func (p *Pane) lineFor(s *sending) *prompt.Line {
	if s.secret {
		line := p.newLine(prompt.Options{Label: p.secretLabel(s), Verb: "send", Secret: true})
		line.Placeholder = "" // the label says it
		return line
	}
	return p.newLine(prompt.Options{Label: "Send to " + p.shortName(s.job) + ": ", Verb: "send", History: p.history.lines, LineFeed: p.lineFeed()})
}

// secretLabel leaves the text room on a narrow screen: the name is cut first.
func (p *Pane) secretLabel(s *sending) string {
	const before, after = "Password for ", " (hidden): "
	room := p.w/2 - len(before) - len(after) - 4 // the other half has the text and the keys
	name := cells.Name(cells.Clean(s.job.Name), max(10, min(30, room)), p.opts.glyphs.Ellipsis)
	return before + name + after
}

// guardLine hides the typed text as soon as the job asks for a secret. Hidden text stays hidden
// until the line is empty.
func (p *Pane) guardLine() {
	f := p.prompt
	if f == nil || f.sending == nil {
		return
	}
	s := f.sending
	j := s.job
	if known, ok := p.jobs.all[j.ID]; ok {
		j = known.Job
	}
	if j.Entry == engine.EntryUnknown || s.entry == engine.EntryHidden { // events may lag behind the host
		j.Entry = s.entry
	}
	secret := p.asksSecret(j)
	switch empty := f.line.Value() == ""; {
	case secret == s.secret:
	case empty:
		s.secret = secret
		f.line = p.lineFor(s)
		p.openPrompt(f)
	case secret:
		s.secret = true
		f.line.Hide()
		f.line.Label = p.secretLabel(s)
	}
}

// asksSecret reports whether a line for j is a secret: if the terminal does not echo or, where
// that is unknown, if the job's last line asks for one. It is also unknown whether a job on a
// host needs input, so there the last line is sufficient.
func (p *Pane) asksSecret(j engine.Job) bool {
	switch j.Entry {
	case engine.EntryHidden:
		return true
	case engine.EntryOpen:
		return false
	case engine.EntryUnknown:
	}
	mayWait := j.Waiting || j.Host != ""
	return mayWait && j.ID == p.output.id && engine.AsksSecret(p.output.log.LastLine())
}

// acceptLine sends the text. It is kept for the history unless it is a secret.
func (p *Pane) acceptLine(s *sending, text string) tea.Cmd {
	if !s.secret {
		p.history.sent(s.job.ID, text)
	}
	return p.write(s.job, text)
}
