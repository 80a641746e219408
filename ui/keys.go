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
	case p.modal.over != nil:
		return p.modal.over.context
	case p.fore.ended():
		return "ended"
	case p.fore.attached() != nil:
		return "terminal"
	case p.modal.prompt != nil:
		return "input"
	}
	switch p.view.focus {
	case areaDetail:
		return "detail"
	case areaLog:
		return "log"
	case areaList, areaNone:
	}
	return "list"
}

// press handles a key. It goes to the topmost part that takes keys, else to the action that it is
// bound to in the focused pane, else to the focused component.
func (p *Pane) press(msg tea.KeyPressMsg) tea.Cmd {
	if p.ignoring.on {
		return nil
	}
	if rest, ok := p.escaped(msg); ok {
		return tea.Batch(p.press(tea.KeyPressMsg{Code: tea.KeyEscape}), p.press(rest))
	}
	var parting tea.Cmd
	if p.fore.isLeft() {
		if keymap.Match(msg, p.opts.keys.Terminal.Leave) {
			return p.fore.pressLeave(msg)
		}
		host := p.hostTakesOver()
		parting = p.fore.event(eventKey)
		if host { // it is not meant for the panes, which are not shown
			return parting
		}
	}
	return tea.Batch(parting, p.pressOn(msg), p.questions.next())
}

func (p *Pane) pressOn(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case p.modal.over != nil:
		return p.modal.update(msg)
	case p.fore.attached() != nil:
		return p.pressAttached(msg)
	case p.modal.prompt != nil:
		return p.modal.pressPrompt(msg)
	}
	if a, ok := p.actions.boundTo(msg, p.context()); ok {
		if cmd, ok := p.perform(a.ID()); ok {
			return cmd
		}
	}
	if keymap.Match(msg, p.opts.keys.Terminal.Leave) {
		return p.notices.refuse(p.dotted("No job is attached", p.does(p.opts.keys.Jobs.Attach, "attach")))
	}
	if elsewhere := p.elsewhere(msg); elsewhere != "" {
		return p.notices.refuse(elsewhere)
	}
	return p.toFocused(msg)
}

// elsewhere returns where a key without effect in the focused pane has one, or "". Keys that
// scroll sideways are excluded, because users press them by habit.
func (p *Pane) elsewhere(msg tea.KeyPressMsg) string {
	k := p.opts.keys
	if _, here := p.actions.boundTo(msg, p.context()); here || keymap.Match(msg, k.Log.Left, k.Log.Right, k.Log.LineStart, k.Log.LineEnd) {
		return ""
	}
	for _, there := range []struct {
		context string
		show    key.Binding
	}{{"list", k.Panes.ShowList}, {"log", k.Panes.ShowLog}} {
		if a, ok := p.actions.boundTo(msg, there.context); ok {
			return p.dotted(fmt.Sprintf("%s (%s) works in the %s", p.keyLabel(a.Binding), a.Title, there.context),
				p.does(there.show, "go there"), p.does(k.Panes.Palette, "run by name"))
		}
	}
	return ""
}

func (p *Pane) toFocused(msg tea.KeyPressMsg) tea.Cmd {
	switch p.view.focus {
	case areaDetail:
		return p.tasks.route(p.detail.Update(msg))
	case areaLog:
		if p.output.screenShown() {
			return p.pressScreen(msg)
		}
		return p.tasks.route(p.output.log.Update(msg))
	case areaList, areaNone:
	}
	cmd := p.tasks.route(p.list.Update(msg))
	return tea.Batch(cmd, p.show())
}

// escaped splits Alt and a key into Escape and that key. A terminal that does not distinguish
// them sends the same bytes for both, if they arrive together as over a slow connection. Alt and
// a key that is bound here is not split.
func (p *Pane) escaped(msg tea.KeyPressMsg) (rest tea.KeyPressMsg, ok bool) {
	if msg.Mod&tea.ModAlt == 0 || p.fore.outer.KittyKeyboard || p.context() == "terminal" {
		return msg, false
	}
	if _, bound := p.actions.boundTo(msg, p.context()); bound {
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

// footerKeys returns the keys for the focused pane, in groups, most important first. Keys of
// unavailable actions are disabled.
func (p *Pane) footerKeys() [][]key.Binding {
	k := p.opts.keys
	switch {
	case p.modal.over != nil:
		return [][]key.Binding{p.modal.over.ShortHelp()}
	case p.fore.closable():
		return [][]key.Binding{{k.Ended.LeaveEnded}}
	case p.fore.attached() != nil:
		return [][]key.Binding{{k.Terminal.Leave}}
	case p.modal.prompt != nil:
		return [][]key.Binding{p.modal.prompt.line.ShortHelp()}
	}
	general := []string{"panes.help"}
	if p.view.quits() && p.view.w < quitFooter {
		general = append(general, "panes.quit")
	}
	var groups [][]key.Binding
	for _, ids := range append(p.actions.footers(), general) {
		group := make([]key.Binding, 0, len(ids))
		for _, id := range ids {
			group = append(group, p.actions.hinted(id))
		}
		groups = append(groups, group)
	}
	return groups
}
