package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
)

// questionEvent has the prompt of a job that needs input. An empty text means that it no longer
// does.
type questionEvent struct {
	job  engine.Job
	text string
}

// secret reports whether the job asks for a secret, such as a password: a program may do so and leave
// the echo on.
func (q questionEvent) secret() bool {
	return q.job.Entry == engine.EntryHidden || engine.AsksSecret(q.text)
}

// settleTime is how long a job must have waited before its question is shown. Right after output,
// its waiting state may still refer to the previous line.
const settleTime = 700 * time.Millisecond

// watchQuestions emits the questions of the agent's jobs.
func (a *agent) watchQuestions() {
	sub := a.eng.Subscribe(engine.Filter{CreatedBy: clientName, Running: true})
	defer sub.Close()
	waiting := map[engine.ID]*waitingJob{}
	for {
		ctx, cancel := context.WithTimeout(a.ctx, settleTime)
		events, err := sub.Next(ctx)
		cancel()
		if err != nil && (a.ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
			return
		}
		for _, ev := range events {
			j := ev.Job
			w := waiting[j.ID]
			asks := j.Waiting && j.Entry != engine.EntryUnknown
			if w != nil && (!asks || w.job.Output != j.Output || w.job.Entry != j.Entry) {
				delete(waiting, j.ID)
				if w.asked {
					a.emit(questionEvent{job: j})
				}
				w = nil
			}
			if asks && w == nil {
				waiting[j.ID] = &waitingJob{job: j, since: time.Now()}
			}
		}
		for _, w := range waiting {
			if !w.asked && time.Since(w.since) >= settleTime {
				w.asked = true
				a.emit(questionEvent{w.job, a.lastLine(w.job)})
			}
		}
	}
}

// waitingJob is a job that waits for a line of input.
type waitingJob struct {
	job   engine.Job
	since time.Time
	asked bool // its question was emitted
}

// lastLine returns the last line of a job's output, which is usually the question.
func (a *agent) lastLine(j engine.Job) string {
	last := j.Name + " needs input"
	log, err := a.eng.OpenLog(a.ctx, j.ID, engine.StreamOutput)
	if err != nil {
		return last
	}
	defer log.Close()
	for line, err := range log.Lines(a.ctx, engine.Query{Last: true, Limit: 1}) {
		if err == nil && strings.TrimSpace(line.Text) != "" {
			last = strings.TrimSpace(line.Text)
		}
	}
	return last
}

var errQuestionOver = errors.New("the job no longer waits for this answer")

// reply types the answer to a question into the job's terminal. It refuses if the job has continued
// since: the next question may be one for a password.
func (a *agent) reply(q questionEvent, text string) error {
	j, err := a.eng.Get(a.ctx, string(q.job.ID))
	switch {
	case err != nil:
		return err
	case q.secret() || j.Entry != engine.EntryOpen || j.Output != q.job.Output: // a prompt is output too
		return errQuestionOver
	}
	return a.eng.Write(a.ctx, j.ID, []byte(text+"\r"))
}

// dialog asks the user the question of a job.
type dialog struct {
	questionEvent
	input textinput.Model
}

func newDialog(q questionEvent) *dialog {
	d := &dialog{q, newInput()}
	d.input.Focus()
	return d
}

// newInput returns a line of text to edit.
func newInput() textinput.Model {
	in := textinput.New()
	s := in.Styles()
	s.Cursor.Blink = false
	in.SetStyles(s)
	return in
}

// view returns the dialog, h lines high at most.
func (d *dialog) view(w, h int) string {
	inner := max(1, w-4)
	d.input.SetWidth(max(1, inner-len(d.input.Prompt)-1))
	if h < 5 || w < 20 {
		return d.input.View()
	}
	title := lipgloss.NewStyle().Bold(true).Render(ansi.Truncate(d.job.Name+" asks", inner, "…"))
	question := ansi.Truncate(d.text, inner, "…")
	box := lipgloss.NewStyle().Border(lipgloss.RoundedBorder()).Padding(0, 1).Width(w)
	return box.Render(title + "\n" + question + "\n" + d.input.View())
}

// pressDialog handles a key for a dialog.
func (h *host) pressDialog(d *dialog, msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "enter":
		h.dialogs = h.dialogs[1:]
		text := d.input.Value()
		return failing(func() error { return h.agent.reply(d.questionEvent, text) })
	case "esc":
		h.dialogs, h.notice = h.dialogs[1:], d.job.Name+" still waits: answer in its terminal"
		return nil
	}
	return h.edit(msg)
}

// asked adds a question, or removes it when it is over. A secret must reach the job's terminal and
// nothing else, so there is no dialog for it.
func (h *host) asked(q questionEvent) {
	h.dialogs = slices.DeleteFunc(h.dialogs, func(d *dialog) bool { return d.job.ID == q.job.ID })
	switch {
	case q.text == "":
	case q.secret():
		h.notice = q.job.Name + " asks for a secret: press Tab and attach to type it"
	default:
		h.dialogs = append(h.dialogs, newDialog(q))
	}
}

// dialog returns the dialog on the screen, or nil: the question that was asked first.
func (h *host) dialog() *dialog {
	if len(h.dialogs) == 0 {
		return nil
	}
	return h.dialogs[0]
}
