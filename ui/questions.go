package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/dialog"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// asked puts a question of the host's; several wait their turn.
func (p *Pane) asked(msg AskMsg) tea.Cmd {
	p.ask = append(p.ask, msg)
	p.dirty = true
	return p.nextAsk()
}

// refuseAsk answers for somebody who is not there any more.
func refuseAsk(ask AskMsg) tea.Cmd {
	return func() tea.Msg {
		ask.Reply("", false)
		return nil
	}
}

// nextAsk puts the next question once no other box is open.
func (p *Pane) nextAsk() tea.Cmd {
	if len(p.ask) == 0 || p.over != nil {
		return nil
	}
	ask := p.ask[0]
	title, text := cells.Clean(ask.Title), questionLines(ask.Text)
	if ask.Confirm != "" {
		return p.askYesOrNo(ask, title, text)
	}
	form := prompt.NewForm(title, p.promptKeys(), p.styles.Prompt, p.styles.Dialog, p.opts.glyphs)
	opts := []prompt.Option{prompt.WithVerb("answer")}
	if ask.Secret {
		opts = append(opts, prompt.WithSecret())
	}
	form.Add("Answer", "", opts...)
	form.SetQuestion(text...)
	return p.openForm(form, formActions{
		accept: func() (tea.Cmd, string) { return p.answer(ask, form.Value("Answer"), true), "" },
		cancel: func() tea.Cmd { return p.answer(ask, "", false) },
	})
}

// questionLines are the lines of a question, which may be a stranger's words.
func questionLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(cells.Clean(line)); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

const answerYes, answerNo = "yes", "no"

// askYesOrNo puts a question whose safe answer is no. No key alone says yes: the
// box comes by itself, perhaps under the fingers of somebody who types.
func (p *Pane) askYesOrNo(ask AskMsg, title string, text []string) tea.Cmd {
	choices := []dialog.Choice{{Name: answerNo, Label: "No"}, {Name: answerYes, Label: ask.Confirm, Danger: true}}
	return p.openDialog(title, text, choices, func(name string) tea.Cmd {
		return p.answer(ask, name, name != "")
	})
}

// answer tells who asked the first question.
func (p *Pane) answer(ask AskMsg, text string, ok bool) tea.Cmd {
	p.ask = slices.Delete(p.ask, 0, 1)
	return func() tea.Msg {
		ask.Reply(text, ok)
		return nil
	}
}
