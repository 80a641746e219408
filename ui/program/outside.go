package program

import (
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/termenv"
	"github.com/hobjobs/hob/ui"
	"github.com/hobjobs/hob/ui/components/later"
	"github.com/hobjobs/hob/ui/components/toast"
)

// ask queries the terminal again after another program has used it: it may have changed. Bubble
// Tea queries it too, and the last answer must follow those.
func (w *window) ask() tea.Cmd {
	w.result.Asked, w.result.Answered, w.unanswered = false, false, false
	w.asked, w.kittyNotes = time.Now(), false
	return tea.Batch(tea.RequestBackgroundColor, tea.RequestForegroundColor, w.askForStatus(), askForNotifications, w.lastAsk())
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
		return w.onceAnswered(tea.Sequence(raw(w.withdraw()), tea.Suspend))
	}
	return w.onceAnswered(tea.Exec(w.borrower(suspension(w.o.Suspend)), func(error) tea.Msg { return tea.ResumeMsg{} }))
}

// borrower runs a program with the terminal's original title, and without reports on jobs.
type borrower struct {
	tea.ExecCommand
	withdraw func() string
	out      io.Writer
}

func (w *window) borrower(cmd tea.ExecCommand) *borrower {
	return &borrower{ExecCommand: cmd, withdraw: w.withdraw}
}

// withdraw returns the sequence that withdraws the reports on jobs. No more are sent until the terminal is asked
// again.
func (w *window) withdraw() string {
	w.status.answered = false
	return w.status.reporter.Clear()
}

// SetStdout implements [tea.ExecCommand].
func (b *borrower) SetStdout(w io.Writer) {
	b.out = w
	b.ExecCommand.SetStdout(w)
}

// Run implements [tea.ExecCommand].
func (b *borrower) Run() error {
	// The program reports write errors itself.
	_, _ = io.WriteString(b.out, b.withdraw()+termenv.PopTitle)
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

func (w *window) copy(msg ui.CopyMsg) tea.Cmd {
	if w.o.Copy == nil {
		return w.copied(msg, "", nil)
	}
	ctx, put := w.ctx, w.o.Copy
	return func() tea.Msg {
		where, err := put(ctx, msg.Text)
		return later.Msg(func() tea.Cmd { return w.copied(msg, where, err) })
	}
}

// copied shows where text was copied to. If it was not copied, it asks the terminal to do so,
// which the terminal does not confirm.
func (w *window) copied(msg ui.CopyMsg, where string, err error) tea.Cmd {
	if err != nil {
		return w.pane.ShowMessage(toast.Message{Level: toast.Error, Text: "Can't copy: " + cells.Clean(err.Error()), Key: toast.Copied})
	}
	if where == "" { // the pane's own message is correct
		return tea.SetClipboard(msg.Text)
	}
	return w.pane.ShowMessage(toast.Message{Text: "Copied " + msg.What + " to " + where, Key: toast.Copied})
}

func (w *window) open(msg ui.OpenMsg) tea.Cmd {
	if w.o.Open == nil {
		return w.pane.ShowMessage(toast.Message{Level: toast.Warning, Text: "No pager or editor; set PAGER or EDITOR", Key: toast.Refused})
	}
	cmd, err := w.o.Open(msg.Path, msg.Editor)
	if err != nil {
		return w.pane.ShowMessage(toast.Message{Level: toast.Error, Text: cells.Clean(err.Error())})
	}
	return w.onceAnswered(tea.Exec(w.borrower(cmd), func(err error) tea.Msg {
		return later.Msg(func() tea.Cmd { return w.opened(err) })
	}))
}

// opened takes the terminal back after a pager or an editor.
func (w *window) opened(err error) tea.Cmd {
	if err != nil {
		return tea.Batch(w.ask(), w.pane.ShowMessage(toast.Message{Level: toast.Error, Text: cells.Clean(err.Error())}))
	}
	return w.ask()
}

func variable(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(environ[i], name+"="); ok {
			return value
		}
	}
	return ""
}
