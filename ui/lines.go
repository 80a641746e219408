package ui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// lineSender sends lines to jobs that are not attached. While a job asks for a secret, the text is hidden, and
// kept nowhere. Otherwise what was sent, or not sent yet, is remembered.
type lineSender struct {
	*labels
	tasks   *tasks
	notices *notices
	jobs    *jobSet
	modal   *modal
	output  *output
	history *history
}

// sending is a line that the user types for a job.
type sending struct {
	job    engine.Job
	secret bool         // neither show nor keep the text
	asks   bool         // the entry is being requested from the job's host
	entry  engine.Entry // the job's entry, as last requested from its host
}

// ask opens a prompt for a line to a job, without attaching. It restores a line that was not
// sent.
func (l *lineSender) ask(jobs []engine.Job) tea.Cmd {
	s := &sending{job: jobs[0]}
	f := &footerPrompt{sending: s}
	f.accept = func() tea.Cmd {
		l.modal.closePrompt()
		return l.accept(s, f.line.Value())
	}
	f.cancel = func() tea.Cmd {
		if !s.secret {
			l.history.keep(s.job.ID, f.line.Value())
		}
		return nil
	}
	s.secret = l.asksSecret(s.job)
	f.line = l.lineFor(s)
	if !s.secret {
		f.line.SetValue(l.history.unsent[s.job.ID])
	}
	return tea.Batch(l.modal.openPrompt(f), l.askEntry(s))
}

// open returns the line that the user types for a job now, or nil.
func (l *lineSender) open() *sending {
	if l.modal.prompt == nil {
		return nil
	}
	return l.modal.prompt.sending
}

// sendingTo returns the open prompt for a job, or nil.
func (l *lineSender) sendingTo(id engine.ID) *sending {
	s := l.open()
	if s == nil || s.job.ID != id {
		return nil
	}
	return s
}

// askEntry asks the host of a job whether its terminal echoes: events report that late.
func (l *lineSender) askEntry(line *sending) tea.Cmd {
	if line.job.Host == "" || !line.job.HasTerminal() || line.asks {
		return nil
	}
	line.asks = true
	eng, id := l.tasks.eng, line.job.ID
	return l.tasks.async(func(ctx context.Context) func() tea.Cmd {
		entry, err := eng.Entry(ctx, id)
		if err != nil {
			entry = engine.EntryUnknown // decide by the output
		}
		return func() tea.Cmd {
			line.asks, line.entry = false, entry
			l.guard()
			return nil
		}
	})
}

func (l *lineSender) lineFor(s *sending) *prompt.Line {
	if s.secret {
		line := l.newLine(prompt.Options{Label: l.secretLabel(s), Verb: "send", Secret: true})
		line.Placeholder = "" // the label says it
		return line
	}
	return l.newLine(prompt.Options{Label: "Send to " + l.shortName(s.job) + ": ", Verb: "send", History: l.history.lines, LineFeed: l.lineFeed()})
}

// secretLabel leaves the text room on a narrow screen: the name is cut first.
func (l *lineSender) secretLabel(s *sending) string {
	const before, after = "Password for ", " (hidden): "
	room := l.modal.footer.w/2 - len(before) - len(after) - 4 // the other half has the text and the keys
	name := cells.Name(cells.Clean(s.job.Name), max(10, min(30, room)), l.opts.glyphs.Ellipsis)
	return before + name + after
}

// guard hides the typed text as soon as the job asks for a secret. Hidden text stays hidden
// until the line is empty.
func (l *lineSender) guard() {
	f, s := l.modal.prompt, l.open()
	if s == nil {
		return
	}
	j := s.job
	if known, ok := l.jobs.all[j.ID]; ok {
		j = known.Job
	}
	if j.Entry == engine.EntryUnknown || s.entry == engine.EntryHidden { // events may lag behind the host
		j.Entry = s.entry
	}
	secret := l.asksSecret(j)
	switch empty := f.line.Value() == ""; {
	case secret == s.secret:
	case empty:
		s.secret = secret
		f.line = l.lineFor(s)
		l.modal.openPrompt(f)
	case secret:
		s.secret = true
		f.line.Hide()
		f.line.Label = l.secretLabel(s)
	}
}

// asksSecret reports whether a line for j is a secret: if the terminal does not echo or, where
// that is unknown, if the job's last line asks for one. It is also unknown whether a job on a
// host needs input, so there the last line is sufficient.
func (l *lineSender) asksSecret(j engine.Job) bool {
	switch {
	case j.NeedsSecret():
		return true
	case j.Entry == engine.EntryOpen:
		return false
	}
	mayWait := j.Waiting || j.Host != ""
	return mayWait && j.ID == l.output.id && j.NeedsSecret(l.output.log.LastLine())
}

// accept sends the text. It is kept for the history unless it is a secret.
func (l *lineSender) accept(s *sending, text string) tea.Cmd {
	if !s.secret {
		l.history.sent(s.job.ID, text)
	}
	return l.write(s.job, text)
}

// write types a line into a job, or the several that were pasted.
func (l *lineSender) write(j engine.Job, line string) tea.Cmd {
	line += "\n"
	if j.HasTerminal() {
		line = strings.ReplaceAll(line, "\n", "\r")
	}
	eng, name := l.tasks.eng, l.shortName(j)
	return l.tasks.async(func(ctx context.Context) func() tea.Cmd {
		return l.notices.onError("Can't send to "+name, eng.Write(ctx, j.ID, []byte(line)))
	})
}
