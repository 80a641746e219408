package program

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/internal/termstatus"
)

// status is what the program reports to the terminal: what its jobs do, and the progress of the attached job.
type status struct {
	answered bool // the terminal keeps reports
	waits    bool // the next reports are scheduled
	reporter termstatus.Reporter

	repeats bool // the next write of the progress is scheduled
}

// repeatEvery is how often the progress is written again: terminals drop it after 15 seconds without news.
const repeatEvery = 10 * time.Second

// askForStatus asks whether the terminal keeps reports, unless the user does not want them.
func (w *window) askForStatus() tea.Cmd {
	if w.status.answered = false; w.o.NoStatus {
		return nil
	}
	return tea.RequestProgramStatusSupport
}

// reportSoon schedules reports if something has changed.
func (w *window) reportSoon(changed bool) tea.Cmd {
	s := &w.status
	if !changed || !s.answered || s.waits {
		return nil
	}
	s.waits = true
	return w.after(termstatus.Every, func() tea.Cmd {
		s.waits = false
		if !s.answered { // another program uses the terminal meanwhile
			return nil
		}
		return raw(s.reporter.Update(w.pane.Reports()))
	})
}

// raw writes a sequence to the terminal, if there is one.
func raw(seq string) tea.Cmd {
	if seq == "" {
		return nil
	}
	return tea.Raw(seq)
}

// lastReport returns the sequence that withdraws the reports when the program ends. Of a job that has ended in the
// foreground, and was not looked at since, it remains how that ended.
func (w *window) lastReport() string {
	if j := w.result.Ended; j != nil && !w.o.KeepEnded {
		return w.status.reporter.Last(j.Name, j.Unsuccessful())
	}
	return w.status.reporter.Clear()
}

// repeatProgress schedules the next write of the progress while there is one.
func (w *window) repeatProgress() tea.Cmd {
	s := &w.status
	if s.repeats || w.shown.ProgressBar == nil {
		return nil
	}
	s.repeats = true
	return w.after(repeatEvery, func() tea.Cmd {
		s.repeats = false
		return raw(progressSequence(w.shown.ProgressBar))
	})
}

// progressSequence returns the sequence that shows a progress (OSC 9;4), or "" for none.
func progressSequence(p *tea.ProgressBar) string {
	if p == nil {
		return ""
	}
	switch p.State {
	case tea.ProgressBarDefault:
		return ansi.SetProgressBar(p.Value)
	case tea.ProgressBarError:
		return ansi.SetErrorProgressBar(p.Value)
	case tea.ProgressBarWarning:
		return ansi.SetWarningProgressBar(p.Value)
	case tea.ProgressBarIndeterminate:
		return ansi.SetIndeterminateProgressBar
	case tea.ProgressBarNone:
	}
	return ""
}
