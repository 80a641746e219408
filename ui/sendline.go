package ui

import (
	"context"
	"regexp"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/prompt"
	"github.com/hobjobs/hob/ui/components/toast"
)

// sending is a line that is being typed for a job.
type sending struct {
	job    engine.Job
	secret bool         // what is typed is neither shown nor kept
	draft  string       // of the line, from the last time
	asks   bool         // the job's host is being asked for entry
	entry  engine.Entry // of the job, where a host is asked for it
}

// sendLine types one line into a job without attaching. What was typed for it and
// not sent comes back.
func (p *Pane) sendLine(jobs []engine.Job) tea.Cmd {
	s := &sending{job: jobs[0]}
	f := &footerPrompt{sending: s}
	f.accept = func() tea.Cmd {
		p.closePrompt()
		return p.acceptLine(s, f.line.Value())
	}
	f.cancel = func() tea.Cmd { return p.keepLine(s, f.line.Value()) }
	s.secret = p.asksSecret(s.job)
	f.line = p.lineFor(s)
	if !s.secret {
		s.draft = p.unsent[s.job.ID]
		f.line.SetValue(s.draft)
	}
	return tea.Batch(p.openPrompt(f), p.askEntry(s))
}

// sendingTo returns the line that is being typed for a job, or nil.
func (p *Pane) sendingTo(id engine.ID) *sending {
	if f := p.prompt; f != nil && f.sending != nil && f.sending.job.ID == id {
		return f.sending
	}
	return nil
}

// askEntry asks the host of a job what is to be seen of what is typed: facts do not
// report it.
func (p *Pane) askEntry(line *sending) tea.Cmd {
	if line.job.Host == "" || !line.job.HasTerminal() || line.asks {
		return nil
	}
	line.asks = true
	eng, id := p.eng, line.job.ID
	return p.async(func(ctx context.Context) func() tea.Cmd {
		entry, err := eng.Entry(ctx, id)
		if err != nil {
			entry = engine.EntryUnknown // what was printed has to do
		}
		return func() tea.Cmd {
			line.asks, line.entry, p.dirty = false, entry, true
			p.guardLine()
			return nil
		}
	})
}

func (p *Pane) lineFor(s *sending) *prompt.Line {
	label := "to " + p.shortName(s.job) + ": "
	if s.secret {
		return p.newLine(label, "send", prompt.WithSecret())
	}
	return p.newLine(label, "send", prompt.WithHistory(p.lines), p.withLines())
}

// guardLine hides what is typed for a job as soon as that asks for a secret. What
// was hidden once is never shown, but an empty line begins again.
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
	if j.Entry == engine.EntryUnknown {
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
	}
}

// secretPrompt is how programs ask for what nobody else should read.
// It is compiled when it is first needed: every verb would pay for it.
var secretPrompt = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(pass(word|phrase|code)|\b(pin|secret|token|verification code))\b.*:\s*$`)
})

// asksSecret reports whether a line for j is a secret: its terminal reports so, or
// where that cannot, the question that the shown job waits behind. Whether a
// job on a host waits is not known: for that the question is enough.
func (p *Pane) asksSecret(j engine.Job) bool {
	switch j.Entry {
	case engine.EntryHidden:
		return true
	case engine.EntryOpen:
		return false
	case engine.EntryUnknown:
	}
	return (j.Waiting || j.Host != "") && j.ID == p.shown.id && secretPrompt().MatchString(p.log.LastLine())
}

// acceptLine sends what was typed. It is kept for the next time unless it is a secret.
func (p *Pane) acceptLine(s *sending, text string) tea.Cmd {
	if !s.secret {
		delete(p.unsent, s.job.ID)
		p.lines = remember(p.lines, text)
	}
	return p.write(s.job, text)
}

// keepLine keeps what was typed and not sent, for the next line to the same job.
func (p *Pane) keepLine(s *sending, text string) tea.Cmd {
	switch {
	case s.secret:
		return nil
	case text == "":
		delete(p.unsent, s.job.ID)
		return nil
	}
	p.unsent[s.job.ID] = text
	if text == s.draft {
		return nil // it is known to be kept
	}
	return p.say(toast.Info, "nothing was sent; "+p.keyLabel(p.opts.keys.Panes.SendLine)+" brings back what you typed")
}
