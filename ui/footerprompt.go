package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// footerPrompt is a prompt in place of the footer. Its functions are its purpose; a nil function
// does nothing.
type footerPrompt struct {
	line    *prompt.Line
	press   func(msg tea.KeyPressMsg) (cmd tea.Cmd, ok bool) // handles keys before the line
	changed func() tea.Cmd                                   // runs after each change of the text
	note    func() string                                    // text to the right of the line
	accept  func() tea.Cmd
	cancel  func() tea.Cmd // runs after it was canceled
	left    func() tea.Cmd // runs after a click elsewhere; nil: cancel
	sending *sending       // set if the line is sent to a job
}

func (m *modal) openPrompt(f *footerPrompt) tea.Cmd {
	m.prompt = f
	m.notices.DropAnswers()
	f.line.SetWidth(m.footer.w)
	return nil
}

func (m *modal) closePrompt() { m.prompt = nil }

func (m *modal) pressPrompt(msg tea.KeyPressMsg) tea.Cmd {
	f, in := m.prompt, m.opts.keys.Input
	switch {
	case keymap.Match(msg, in.Cancel):
		return m.cancelPrompt(f)
	case keymap.Match(msg, in.Accept):
		return f.accept()
	}
	if f.press != nil {
		if cmd, ok := f.press(msg); ok {
			return cmd
		}
	}
	return m.editPrompt(f, msg)
}

// editPrompt passes a message to the line and applies its changes.
func (m *modal) editPrompt(f *footerPrompt, msg tea.Msg) tea.Cmd {
	before := f.line.Value()
	f.line.Update(msg)
	if f.changed == nil || f.line.Value() == before {
		return nil
	}
	return f.changed()
}

func (m *modal) cancelPrompt(f *footerPrompt) tea.Cmd {
	m.closePrompt()
	if f.cancel == nil {
		return nil
	}
	return f.cancel()
}

// leavePrompt closes a prompt after a click elsewhere: a filter or search is kept, other input is
// dropped.
func (m *modal) leavePrompt(f *footerPrompt) tea.Cmd {
	if f.left == nil {
		return m.cancelPrompt(f)
	}
	return f.left()
}

func (l *labels) newLine(o prompt.Options) *prompt.Line {
	return prompt.NewLine(l.promptKeys(), l.styles, o)
}
