package ui

import (
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/internal/termenv"
)

// ask asks the terminal again, which another program had meanwhile: it may have changed,
// and Bubble Tea has asked again what the last answer is to follow.
func (w *window) ask() tea.Cmd {
	w.result.Asked, w.result.Answered, w.unanswered = false, false, false
	w.asked = time.Now()
	return tea.Batch(tea.RequestBackgroundColor, tea.RequestForegroundColor, w.lastAsk())
}

// lastAsk puts the question whose answer is the last one.
func (w *window) lastAsk() tea.Cmd {
	return w.after(lastAskAfter, func() tea.Cmd {
		w.result.Asked = true
		w.asked = time.Now()
		late := w.after(answerWithin, func() tea.Cmd {
			w.unanswered = true
			return w.learned()
		})
		return tea.Batch(tea.Raw(ansi.RequestPrimaryDeviceAttributes), late)
	})
}

// quiet reports whether the terminal has answered everything, as far as it does.
func (w *window) quiet() bool {
	return w.result.Answered || time.Since(w.asked) >= termenv.AnswersWithin
}

// onceAnswered runs cmd, which gives the terminal away, when no answer can come any more:
// the next program would take it for something typed.
func (w *window) onceAnswered(cmd tea.Cmd) tea.Cmd {
	if w.quiet() {
		return cmd
	}
	w.lending = cmd
	return w.after(time.Until(w.asked.Add(termenv.AnswersWithin)), w.lend) // what has not answered will not
}

// lend runs what waits for the last answer.
func (w *window) lend() tea.Cmd {
	cmd := w.lending
	w.lending = nil
	return cmd
}

// suspend gives the terminal to the shell until the process goes on.
func (w *window) suspend() tea.Cmd {
	if w.o.Suspend == nil {
		return w.onceAnswered(tea.Suspend)
	}
	return w.onceAnswered(tea.Exec(&borrower{ExecCommand: suspension(w.o.Suspend)}, func(error) tea.Msg { return tea.ResumeMsg{} }))
}

// borrower has the terminal for a while, with the title that it had before.
type borrower struct {
	tea.ExecCommand
	out io.Writer
}

// SetStdout implements [tea.ExecCommand].
func (b *borrower) SetStdout(w io.Writer) {
	b.out = w
	b.ExecCommand.SetStdout(w)
}

// Run implements [tea.ExecCommand].
func (b *borrower) Run() error {
	// The command reports what cannot be written.
	_, _ = io.WriteString(b.out, termenv.PopTitle)
	err := b.ExecCommand.Run()
	_, _ = io.WriteString(b.out, termenv.PushTitle)
	return err
}

// suspension is a command that stops the process.
type suspension func()

// Run implements [tea.ExecCommand].
func (s suspension) Run() error {
	s()
	return nil
}

// SetStdin implements [tea.ExecCommand].
func (suspension) SetStdin(io.Reader) {}

// SetStdout implements [tea.ExecCommand].
func (suspension) SetStdout(io.Writer) {}

// SetStderr implements [tea.ExecCommand].
func (suspension) SetStderr(io.Writer) {}
