package ui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

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
