package ui

import (
	"fmt"
	"unicode"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/keymap"
)

// context names where keys are pressed now, as the key map calls it.
func (p *Pane) context() string {
	switch {
	case p.over != nil:
		return p.over.context
	case p.attachment != nil && p.attachment.ended:
		return "ended"
	case p.attachment != nil:
		return "terminal"
	case p.prompt != nil:
		return "input"
	}
	switch p.focus {
	case areaDetail:
		return "detail"
	case areaLog:
		return "log"
	case areaList, areaNone:
	}
	return "list"
}

// boundTo returns the action that a key is bound to in a context.
func (p *Pane) boundTo(msg tea.KeyPressMsg, context string) (a keymap.Action, ok bool) {
	for _, a := range p.bindings[context] {
		if keymap.Match(msg, a.Binding) {
			return a, true
		}
	}
	return keymap.Action{}, false
}

// press takes a key: what is on top gets it, else the action it is bound to
// where the focus is, else the focused component moves.
func (p *Pane) press(msg tea.KeyPressMsg) tea.Cmd {
	if rest, ok := p.escaped(msg); ok {
		return tea.Batch(p.press(tea.KeyPressMsg{Code: tea.KeyEscape}), p.press(rest))
	}
	p.dirty = true
	var parting tea.Cmd
	if p.park != nil && p.attachment == nil {
		if keymap.Match(msg, p.opts.keys.Terminal.Leave) {
			return p.again(msg)
		}
		parting = p.unpark()
	}
	return tea.Batch(parting, p.pressOn(msg), p.nextAsk())
}

func (p *Pane) pressOn(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case p.over != nil:
		return p.over.update(msg)
	case p.attachment != nil:
		return p.pressAttached(msg)
	case p.prompt != nil:
		return p.pressPrompt(msg)
	}
	if a, ok := p.boundTo(msg, p.context()); ok {
		if cmd, ok := p.perform(a.ID()); ok {
			return cmd
		}
	}
	if keymap.Match(msg, p.opts.keys.Terminal.Leave) {
		return p.refuse(with("nothing to send to the background: no job has the keyboard", ";", p.does(p.opts.keys.Jobs.Attach, "attaches")))
	}
	if elsewhere := p.elsewhere(msg); elsewhere != "" {
		return p.refuse(elsewhere)
	}
	return p.toFocused(msg)
}

// elsewhere explains where a key does something that does nothing in the focused
// pane; empty if it does something here, or nowhere. Scrolling to the side is
// tried by habit and needs no words.
func (p *Pane) elsewhere(msg tea.KeyPressMsg) string {
	k := p.opts.keys
	if _, here := p.boundTo(msg, p.context()); here || keymap.Match(msg, k.Log.Left, k.Log.Right, k.Log.LineStart, k.Log.LineEnd) {
		return ""
	}
	for _, there := range []struct {
		context string
		show    key.Binding
	}{{"list", k.Panes.ShowList}, {"log", k.Panes.ShowLog}} {
		if a, ok := p.boundTo(msg, there.context); ok {
			return fmt.Sprintf("%s is a key of the %s: %s goes there, %s finds it here",
				a.Title, there.context, p.keyLabel(there.show), p.keyLabel(k.Panes.Palette))
		}
	}
	return ""
}

// toFocused lets the focused component have a key.
func (p *Pane) toFocused(msg tea.KeyPressMsg) tea.Cmd {
	switch p.focus {
	case areaDetail:
		return p.route(p.detail.Update(msg))
	case areaLog:
		if p.screenShown() {
			return p.pressScreen(msg)
		}
		return p.route(p.log.Update(msg))
	case areaList, areaNone:
	}
	cmd := p.route(p.list.Update(msg))
	return tea.Batch(cmd, p.show())
}

// escaped splits Alt and a key into Escape and that key, as they may have been pressed one
// after the other: a terminal that does not report Escape apart sends the same for both,
// in one read over a slow line. Alt and a key that is bound here is what it looks like.
func (p *Pane) escaped(msg tea.KeyPressMsg) (rest tea.KeyPressMsg, ok bool) {
	if msg.Mod&tea.ModAlt == 0 || p.outer.KittyKeyboard || p.context() == "terminal" {
		return msg, false
	}
	if _, bound := p.boundTo(msg, p.context()); bound {
		return msg, false
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
