package ui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/ui/components/help"
	"github.com/hobjobs/hob/ui/components/palette"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// openPalette shows all actions. Unavailable ones have the reason.
func (p *Pane) openPalette() tea.Cmd {
	var listed []action
	for _, k := range p.opts.keys.Actions() {
		if a := p.actions.all[k.ID()]; a.rank != unlisted {
			listed = append(listed, a)
		}
	}
	listed = append(listed, p.actions.all[otherStream])
	slices.SortStableFunc(listed, func(a, b action) int { return cmp.Compare(a.rank, b.rank) })
	var items, refused []palette.Item
	for _, a := range listed {
		item := palette.Item{ID: a.id, Title: a.Title, Note: a.Description, Key: strings.Join(p.keyLabels(a.Action), " "), Disabled: p.actions.refusal(a)}
		if item.Disabled == "" {
			items = append(items, item)
		} else {
			refused = append(refused, item)
		}
	}
	line := p.newLine(prompt.Options{Label: ": "})
	m := palette.New("Actions", append(items, refused...), line, p.opts.keys.Palette, p.styles, p.chosen)
	return p.modal.open(&overlay{box: m, context: "palette", w: m.Width(), h: 22})
}

// chosen closes the palette and performs the chosen action. An unavailable one only shows the reason.
func (p *Pane) chosen(item palette.Item) tea.Cmd {
	if item.Disabled != "" {
		return p.notices.refuse(item.Disabled)
	}
	p.modal.shut()
	if item.ID == "" {
		return nil
	}
	return p.performNamed(item.ID)
}

// performNamed performs the chosen entry: an action, or a key of the log.
func (p *Pane) performNamed(id string) tea.Cmd {
	if cmd, ok := p.perform(id); ok {
		return cmd
	}
	keys := p.actions.all[id].Binding.Keys()
	if len(keys) == 0 {
		return p.notices.refuse("This action has no key")
	}
	focus := p.setFocus(areaLog)
	press := tea.KeyPressMsg{Code: tea.KeyExtended, Text: keys[0]} // press finds the key by its name
	return tea.Batch(focus, p.tasks.route(p.output.log.Update(press)))
}

// openHelp shows all current keys by section, those of the focused pane first. Below
// them are movement, which is the same in all panes, and the leave key.
func (p *Pane) openHelp() tea.Cmd {
	notes := []string{p.moves(), p.leaveNote(), "In a replay, 0 to 9 go to the tenths of the recording."}
	line := p.newLine(prompt.Options{Label: "/"})
	page := help.New(p.actions.helpSections(p.context()), notes, line, p.opts.keys.Help, p.opts.keys.Input, p.styles, func() tea.Cmd {
		p.modal.shut()
		return nil
	})
	return p.modal.open(&overlay{box: page, context: "help", w: 116, under: p.modal.over})
}

// moves returns the line of help for movement.
func (l *labels) moves() string {
	var moves []string
	for _, a := range l.opts.keys.Actions() {
		if labels := l.keyLabels(a); a.Section == "list" && len(labels) > 0 {
			moves = append(moves, labels[0]+" "+a.Title)
		}
	}
	return "Move: " + l.dotted(moves...)
}
