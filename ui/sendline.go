package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/prompt"
)

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
		p.keepLine(s, f.line.Value())
		return nil
	}
	s.secret = p.asksSecret(s.job)
	f.line = p.lineFor(s)
	if !s.secret {
		f.line.SetValue(p.unsent[s.job.ID])
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
	eng, id := p.eng, line.job.ID
	return p.async(func(ctx context.Context) func() tea.Cmd {
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
	return p.newLine(prompt.Options{Label: "Send to " + p.shortName(s.job) + ": ", Verb: "send", History: p.lines, LineFeed: p.lineFeed()})
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
	if known, ok := p.jobs[j.ID]; ok {
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
	return (j.Waiting || j.Host != "") && j.ID == p.shown.id && engine.AsksSecret(p.log.LastLine())
}

// acceptLine sends the text. It is kept for the history unless it is a secret.
func (p *Pane) acceptLine(s *sending, text string) tea.Cmd {
	if !s.secret {
		delete(p.unsent, s.job.ID)
		p.lines = remember(p.lines, text)
	}
	return p.write(s.job, text)
}

// keepLine keeps unsent text for the next prompt to the same job.
func (p *Pane) keepLine(s *sending, text string) {
	switch {
	case s.secret:
	case text == "":
		delete(p.unsent, s.job.ID)
	default:
		p.unsent[s.job.ID] = text
	}
}
