package ui

import (
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/internal/termenv"
)

// ask queries the terminal again after another program has used it: it may have changed. Bubble
// Tea queries it too, and the last answer must follow those.
func (w *window) ask() tea.Cmd {
	w.result.Asked, w.result.Answered, w.unanswered = false, false, false
	w.asked = time.Now()
	return tea.Batch(tea.RequestBackgroundColor, tea.RequestForegroundColor, w.lastAsk())
}

// lastAsk sends the query whose answer comes last.
func (w *window) lastAsk() tea.Cmd {
	return w.after(lastAskAfter, func() tea.Cmd {
		w.result.Asked = true
		w.asked = time.Now()
		late := w.after(termenv.AnswersWithin, func() tea.Cmd {
			w.unanswered = true
			return w.learned()
		})
		return tea.Batch(tea.Raw(ansi.RequestPrimaryDeviceAttributes), late)
	})
}

// quiet reports whether no more answers of the terminal are expected.
func (w *window) quiet() bool {
	return w.result.Answered || time.Since(w.asked) >= termenv.AnswersWithin
}

// onceAnswered runs cmd, which gives the terminal to another program, once no more answers are
// expected: that program would read them as input.
func (w *window) onceAnswered(cmd tea.Cmd) tea.Cmd {
	if w.quiet() {
		return cmd
	}
	w.afterAnswer = cmd
	return w.after(time.Until(w.asked.Add(termenv.AnswersWithin)), w.handOver) // it will not answer any more
}

// handOver runs the command that waits for the last answer.
func (w *window) handOver() tea.Cmd {
	cmd := w.afterAnswer
	w.afterAnswer = nil
	return cmd
}

// suspend stops the process, and gives the terminal to the shell meanwhile.
func (w *window) suspend() tea.Cmd {
	if w.o.Suspend == nil {
		return w.onceAnswered(tea.Suspend)
	}
	return w.onceAnswered(tea.Exec(&borrower{ExecCommand: suspension(w.o.Suspend)}, func(error) tea.Msg { return tea.ResumeMsg{} }))
}

// borrower runs a program with the terminal's original title.
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
	// The program reports write errors itself.
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
