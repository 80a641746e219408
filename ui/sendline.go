package ui

import (
	"regexp"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/prompt"
	"github.com/hobjobs/hob/ui/components/toast"
)

// sendLine types one line into a job without attaching. What was typed for it and
// not sent comes back.
func (p *Pane) sendLine(jobs []engine.Job) tea.Cmd {
	f := &footerPrompt{kind: promptLine, job: jobs[0]}
	f.secret = p.asksSecret(f.job)
	f.line = p.newLine(f)
	if !f.secret {
		f.draft = p.unsent[f.job.ID]
		f.line.SetValue(f.draft)
	}
	return tea.Batch(p.openPrompt(f), p.askEntry(f))
}

// askEntry asks the host of a job what is to be seen of what is typed: facts do not
// tell it.
func (p *Pane) askEntry(f *footerPrompt) tea.Cmd {
	if f.job.Host == "" || !f.job.HasTerminal() || f.asks {
		return nil
	}
	f.asks = true
	s, ctx, eng, id := stamp{pane: p}, p.ctx, p.eng, f.job.ID
	return func() tea.Msg {
		entry, err := eng.entry(ctx, id)
		if err != nil {
			entry = engine.EntryUnknown // what was printed has to do
		}
		return entryMsg{s, id, entry}
	}
}

// told takes the answer.
func (p *Pane) told(msg entryMsg) tea.Cmd {
	if f := p.prompt; f != nil && f.kind == promptLine && f.job.ID == msg.id {
		f.asks, f.entry, p.dirty = false, msg.entry, true
		p.guardLine()
	}
	return nil
}

func (p *Pane) newLine(f *footerPrompt) *prompt.Line {
	opts := []prompt.Option{prompt.WithLabel("to " + p.shortName(f.job) + ": "), prompt.WithVerb("send")}
	if f.secret {
		opts = append(opts, prompt.WithSecret())
	} else {
		opts = append(opts, prompt.WithHistory(p.lines), p.withLines())
	}
	return prompt.NewLine(p.promptKeys(), p.styles.Prompt, opts...)
}

// guardLine hides what is typed for a job as soon as that asks for a secret. What
// was hidden once is never shown, but an empty line begins again.
func (p *Pane) guardLine() {
	f := p.prompt
	if f == nil || f.kind != promptLine {
		return
	}
	j := f.job
	if known, ok := p.jobs[j.ID]; ok {
		j = known.Job
	}
	if j.Entry == engine.EntryUnknown {
		j.Entry = f.entry
	}
	secret := p.asksSecret(j)
	switch empty := f.line.Value() == ""; {
	case secret == f.secret:
	case empty:
		f.secret = secret
		f.line = p.newLine(f)
		p.openPrompt(f)
	case secret:
		f.secret = true
		f.line.Hide()
	}
}

// secretPrompt is how programs ask for what nobody else should read.
// It is compiled when it is first needed: every verb would pay for it.
var secretPrompt = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(pass(word|phrase|code)|\b(pin|secret|token|verification code))\b.*:\s*$`)
})

// asksSecret reports whether a line for j is a secret: its terminal says so, or
// where that cannot tell, the question that the shown job waits behind. Whether a
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
func (p *Pane) acceptLine(f *footerPrompt) tea.Cmd {
	text := f.line.Value()
	if !f.secret {
		delete(p.unsent, f.job.ID)
		p.lines = remember(p.lines, text)
	}
	return p.write(f.job, text)
}

// keepLine keeps what was typed and not sent, for the next line to the same job.
func (p *Pane) keepLine(f *footerPrompt) tea.Cmd {
	text := f.line.Value()
	switch {
	case f.secret:
		return nil
	case text == "":
		delete(p.unsent, f.job.ID)
		return nil
	}
	p.unsent[f.job.ID] = text
	if text == f.draft {
		return nil // it is known to be kept
	}
	return p.say(toast.Info, "nothing was sent; "+p.keyLabel(p.opts.keys.Panes.SendLine)+" brings back what you typed")
}
