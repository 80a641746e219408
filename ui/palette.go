package ui

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/ui/components/palette"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// openPalette shows all actions: first those that apply to the selected job, and each time those that
// were chosen last. Unavailable ones are at the end; choosing one shows the reason.
func (p *Pane) openPalette() tea.Cmd {
	var listed []action
	for _, k := range p.opts.keys.Actions() {
		if a := p.actions.all[k.ID()]; a.rank != unlisted {
			listed = append(listed, a)
		}
	}
	listed = append(listed, p.actions.all[otherStream])
	refusals := map[string]string{}
	for _, a := range listed {
		refusals[a.id] = p.actions.refusal(a)
	}
	group := func(a action) int {
		switch {
		case refusals[a.id] != "":
			return 2
		case a.onJob():
			return 0
		}
		return 1
	}
	slices.SortStableFunc(listed, func(a, b action) int {
		return cmp.Or(
			cmp.Compare(group(a), group(b)),
			cmp.Compare(p.history.sinceChosen(a.id), p.history.sinceChosen(b.id)),
			cmp.Compare(a.rank, b.rank),
		)
	})
	items := make([]palette.Item, len(listed))
	for i, a := range listed {
		items[i] = palette.Item{ID: a.id, Title: a.Description, Name: a.Title, Key: p.keyLabel(a.Binding), Disabled: refusals[a.id]}
	}
	line := p.newLine(prompt.Options{Label: ": "})
	m := palette.New("Actions", items, line, p.opts.keys.Palette, p.styles, p.chosen)
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
	p.history.chose(item.ID)
	return p.performNamed(item.ID)
}

// performNamed performs the chosen entry: an action, or a key of the log.
func (p *Pane) performNamed(id string) tea.Cmd {
	if cmd, ok := p.perform(id); ok {
		return cmd
	}
	keys := p.actions.all[id].Binding.Keys()
	if len(keys) == 0 {
		return p.notices.refuse("No key is bound to this action")
	}
	focus := p.setFocus(areaLog)
	press := tea.KeyPressMsg{Code: tea.KeyExtended, Text: keys[0]} // press finds the key by its name
	return tea.Batch(focus, p.tasks.route(p.output.log.Update(press)))
}
