package ui

import (
	"fmt"
	"unicode"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/keymap"
)

// context returns the context of the key map in which keys are looked up now.
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

// press handles a key. It goes to the topmost part that takes keys, else to the action that it is
// bound to in the focused pane, else to the focused component.
func (p *Pane) press(msg tea.KeyPressMsg) tea.Cmd {
	if p.ignoringKeys {
		return nil
	}
	if rest, ok := p.escaped(msg); ok {
		return tea.Batch(p.press(tea.KeyPressMsg{Code: tea.KeyEscape}), p.press(rest))
	}
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
		return p.updateOver(msg)
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
		return p.refuse(p.dotted("No job is attached", p.does(p.opts.keys.Jobs.Attach, "attach")))
	}
	if elsewhere := p.elsewhere(msg); elsewhere != "" {
		return p.refuse(elsewhere)
	}
	return p.toFocused(msg)
}

// elsewhere returns where a key without effect in the focused pane has one, or "". Keys that
// scroll sideways are excluded, because users press them by habit.
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
			return p.dotted(fmt.Sprintf("%s (%s) works in the %s", p.keyLabel(a.Binding), a.Title, there.context),
				p.does(there.show, "go there"), p.does(k.Panes.Palette, "run by name"))
		}
	}
	return ""
}

// toFocused passes a key to the focused component.
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

// escaped splits Alt and a key into Escape and that key. A terminal that does not distinguish
// them sends the same bytes for both, if they arrive together as over a slow connection. Alt and
// a key that is bound here is not split.
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
