package ui

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/ui/components/dialog"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// WithConnect is how a person who opens a job on a host connects to that, asked
// what there is to ask (see [AskMsg]): looking alone asks nothing. made is false
// if the host was connected already.
func WithConnect(f func(ctx context.Context, host string) (made bool, err error)) Option {
	return func(o *options) { o.connect = f }
}

// reach connects to the host of the selected job.
func (p *Pane) reach() tea.Cmd {
	j, ok := p.list.Selected()
	if !ok || j.Host == "" || p.opts.connect == nil {
		return nil
	}
	connect := p.opts.connect
	return p.async(func(ctx context.Context) func() tea.Cmd {
		made, err := connect(ctx, j.Host)
		return func() tea.Cmd { return p.reached(j, made, err) }
	})
}

// unread says why a log cannot be read, and how a person gets the host to be asked.
func (p *Pane) unread(err error) string {
	text := hint(err)
	if p.opts.connect != nil && errors.Is(err, engine.ErrUnreachable) {
		text += "; " + p.keyLabel(p.opts.keys.Jobs.Open) + " in the list connects to it"
	}
	return text
}

// reached reads the log of the job again whose host can be asked now.
func (p *Pane) reached(j engine.Job, made bool, err error) tea.Cmd {
	switch {
	case err != nil:
		return p.fail("no connection to "+j.Host, err)
	case made && j.ID == p.shown.id && p.shown.log != nil:
		return tea.Batch(p.closeLog(), p.openLog())
	}
	return nil
}

// interruptShown sends the job in the foreground what its terminal would for
// Ctrl+C, if it had one.
func (p *Pane) interruptShown() tea.Cmd {
	j, ok := p.jobs[p.attachment.id]
	if !ok {
		return nil
	}
	return p.signal(j.Job, "SIGINT")
}

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
