package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/dialog"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// questions are those of the host program: for a passphrase, for yes or no. They come at any time, also
// while the user types, and are shown one after the other when no other box is open.
type questions struct {
	*labels
	modal *modal
	pause *keyPause

	waiting []AskMsg // the first is shown, once no other box is open
}

// add shows a question. Further questions wait.
func (q *questions) add(ask AskMsg) tea.Cmd {
	q.waiting = append(q.waiting, ask)
	return q.next()
}

// refuseAll refuses the questions when the pane is closed.
func (q *questions) refuseAll() {
	for _, ask := range q.waiting {
		ask.Reply("", false)
	}
	q.waiting = nil
}

// refuseAsk answers a question that can no longer be shown.
func refuseAsk(ask AskMsg) tea.Cmd {
	return func() tea.Msg {
		ask.Reply("", false)
		return nil
	}
}

// next shows the next question once no other box is open.
func (q *questions) next() tea.Cmd {
	if len(q.waiting) == 0 || q.modal.over != nil {
		return nil
	}
	ask := q.waiting[0]
	title, text := cells.Clean(ask.Title), questionLines(ask.Text)
	if ask.Confirm != "" {
		return q.askYesOrNo(ask, title, text)
	}
	form := prompt.NewForm(title, q.promptKeys(), q.styles)
	form.Add("Answer", "", prompt.Options{Verb: "answer", Secret: ask.Secret})
	form.SetQuestion(text...)
	return q.modal.openForm(form, prompt.Actions{
		Accept: func() tea.Cmd {
			q.modal.shut()
			return q.answer(ask, form.Value("Answer"), true)
		},
		Cancel: func() tea.Cmd { return q.answer(ask, "", false) },
	})
}

// questionLines returns the lines of a question, whose text may come from a remote host.
func questionLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(cells.Clean(line)); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// The answers to a question with [AskMsg.Confirm].
const AnswerYes, AnswerNo = "yes", "no"

// askYesOrNo asks a question; no is preselected. The box may appear while the user types, so keys
// count only after a moment.
func (q *questions) askYesOrNo(ask AskMsg, title string, text []string) tea.Cmd {
	choices := []dialog.Choice{{Name: AnswerNo, Label: "No"}, {Name: AnswerYes, Label: ask.Confirm, Danger: true, Yes: true}}
	return tea.Batch(q.pause.begin(), q.modal.openDialog(title, text, choices, func(name string) tea.Cmd {
		return q.answer(ask, name, name != "")
	}))
}

func (q *questions) answer(ask AskMsg, text string, ok bool) tea.Cmd {
	q.waiting = slices.Delete(q.waiting, 0, 1)
	return func() tea.Msg {
		ask.Reply(text, ok)
		return nil
	}
}
