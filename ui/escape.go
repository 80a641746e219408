package ui

import (
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/keymap"
)

// escaped splits Alt and a key into Escape and that key, as they may have been pressed one
// after the other: a terminal that does not report Escape apart sends the same for both,
// in one read over a slow line. Alt and a key that is bound here is what it looks like.
func (p *Pane) escaped(msg tea.KeyPressMsg) (rest tea.KeyPressMsg, ok bool) {
	if msg.Mod&tea.ModAlt == 0 || p.outer.KittyKeyboard || p.context() == "terminal" {
		return msg, false
	}
	for _, a := range p.actions[p.context()] {
		if keymap.Match(msg, a.Binding) {
			return msg, false
		}
	}
	msg.Mod &^= tea.ModAlt
	char := msg.Code
	if msg.Mod == tea.ModShift && msg.ShiftedCode != 0 {
		char = msg.ShiftedCode
	}
	if msg.Mod&^tea.ModShift == 0 && unicode.IsPrint(char) {
		msg.Text = string(char)
	}
	return msg, true
}
