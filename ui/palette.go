package ui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/ui/components/help"
	"github.com/hobjobs/hob/ui/components/palette"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// openPalette shows all actions. Unavailable ones have the reason.
func (p *Pane) openPalette() tea.Cmd {
	var listed []action
	for _, k := range p.opts.keys.Actions() {
		if a := p.actions[k.ID()]; a.rank != unlisted {
			listed = append(listed, a)
		}
	}
	listed = append(listed, p.actions[otherStream])
	slices.SortStableFunc(listed, func(a, b action) int { return cmp.Compare(a.rank, b.rank) })
	var items, refused []palette.Item
	for _, a := range listed {
		item := palette.Item{ID: a.id, Title: a.Title, Note: a.Description, Key: strings.Join(p.keyLabels(a.Action), " "), Disabled: p.refusal(a)}
		if item.Disabled == "" {
			items = append(items, item)
		} else {
			refused = append(refused, item)
		}
	}
	line := p.newLine(prompt.Options{Label: ": "})
	line.Focus()
	m := palette.New("Actions", append(items, refused...), line, p.opts.keys.Palette, p.styles, p.chosen)
	return p.open(&overlay{box: m, context: "palette", w: m.Width(), h: 22})
}

// chosen closes the palette and performs the chosen action. An unavailable one only shows the reason.
func (p *Pane) chosen(item palette.Item) tea.Cmd {
	if item.Disabled != "" {
		return p.refuse(item.Disabled)
	}
	p.shut()
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
	keys := p.actions[id].Binding.Keys()
	if len(keys) == 0 {
		return p.refuse("This action has no key")
	}
	focus := p.setFocus(areaLog)
	press := tea.KeyPressMsg{Code: tea.KeyExtended, Text: keys[0]} // press finds the key by its name
	return tea.Batch(focus, p.route(p.log.Update(press)))
}

// openHelp shows all current keys by section, those of the focused pane first. Below
// them are movement, which is the same in all panes, and the leave key.
func (p *Pane) openHelp() tea.Cmd {
	here := map[string]bool{}
	for _, a := range p.bindings[p.context()] {
		here[a.Section] = true
	}
	var first, rest []help.Section
	moves, moving := []string{}, map[string]bool{}
	for _, a := range p.opts.keys.Actions() {
		if a.Section == "list" { // only movement
			if labels := p.keyLabels(a); len(labels) > 0 {
				moves = append(moves, labels[0]+" "+a.Title)
			}
			moving[a.Name] = true
		}
	}
	sections := keymap.Sections()
	slices.SortStableFunc(sections, func(a, b keymap.Section) int { return helpRank(a.Name) - helpRank(b.Name) })
	for _, section := range sections {
		s := help.Section{Title: section.Title}
		for _, a := range p.opts.keys.Actions() {
			keys := strings.Join(p.keyLabels(a), " ")
			if a.Section != section.Name || keys == "" || moving[a.Name] || p.actions[a.ID()].needs == needsProgram && !p.opts.program {
				continue
			}
			s.Entries = append(s.Entries, help.Entry{Keys: keys, Desc: a.Description})
		}
		if here[section.Name] {
			first = append(first, s)
		} else {
			rest = append(rest, s)
		}
	}
	notes := []string{"Move: " + p.dotted(moves...), p.leaveNote(), "In a replay, 0 to 9 go to the tenths of the recording."}
	line := p.newLine(prompt.Options{Label: "/"})
	line.Focus()
	page := help.New(append(first, rest...), notes, line, p.opts.keys.Help, p.opts.keys.Input, p.styles, func() tea.Cmd {
		p.shut()
		return nil
	})
	return p.open(&overlay{box: page, context: "help", w: 116, under: p.over})
}

// helpRank orders the sections of help: actions on jobs and their output, then general ones, then
// movement.
func helpRank(section string) int {
	switch section {
	case "jobs", "log":
		return 0
	case "panes":
		return 1
	}
	return 2
}
