package ui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/ui/components/prompt"
)

func (p *Pane) openFilter() tea.Cmd {
	p.view.focus = areaList
	before := p.list.Filter()
	cancel := "clear"
	if before != "" {
		cancel = "cancel"
	}
	line := p.newLine(prompt.Options{Label: "/", Verb: "apply", CancelVerb: cancel, Placeholder: "name, command, host, status:failed, host:web1"})
	line.SetValue(before)
	line.SelectAll()
	filter := func(text string) tea.Cmd {
		p.list.SetFilter(text)
		return p.show()
	}
	keep := func() tea.Cmd {
		p.modal.closePrompt()
		return p.show()
	}
	cmd := p.modal.openPrompt(&footerPrompt{
		line:   line,
		accept: keep,
		left:   keep,
		press: func(msg tea.KeyPressMsg) (tea.Cmd, bool) { // keys that move the selection keep working
			if msg.Code != tea.KeyUp && msg.Code != tea.KeyDown {
				return nil, false
			}
			return p.toFocused(msg), true
		},
		changed: func() tea.Cmd { return filter(line.Value()) },
		note: func() string {
			all, shown := p.list.Len()
			return strconv.Itoa(shown) + " of " + strconv.Itoa(all)
		},
		cancel: func() tea.Cmd { return filter(before) },
	})
	return tea.Batch(cmd, p.arrange())
}

// paste passes pasted text to the attached job or to the prompt.
func (p *Pane) paste(msg tea.PasteMsg) tea.Cmd {
	switch {
	case p.hostTakesOver():
		return nil
	case p.modal.over != nil:
		return p.modal.update(msg)
	case p.fore.attached() != nil:
		return p.fore.input(msg)
	case p.modal.prompt != nil:
		return p.modal.editPrompt(p.modal.prompt, msg)
	}
	return nil
}
