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
	keys := p.actions[id].Binding.Keys()
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
	page := help.New(p.helpSections(), notes, line, p.opts.keys.Help, p.opts.keys.Input, p.styles, func() tea.Cmd {
		p.modal.shut()
		return nil
	})
	return p.modal.open(&overlay{box: page, context: "help", w: 116, under: p.modal.over})
}

// helpSections returns the keys by section, those of the focused pane first. They include the
// actions on the selected job that work in all panes.
func (p *Pane) helpSections() []help.Section {
	own := "jobs"
	if here := p.bindings[p.context()]; len(here) > 0 {
		own = here[0].Section
	}
	entries := map[string][]help.Entry{}
	for _, a := range p.helpActions() {
		section := a.Section
		if section == "panes" && a.onJob() {
			section = "jobs"
			if own == "log" {
				section = own
			}
		}
		entries[section] = append(entries[section], help.Entry{Keys: strings.Join(p.keyLabels(a.Action), " "), Desc: a.Description})
	}
	sections := keymap.Sections()
	slices.SortStableFunc(sections, func(a, b keymap.Section) int { return helpRank(a.Name, own) - helpRank(b.Name, own) })
	all := make([]help.Section, 0, len(sections))
	for _, s := range sections {
		all = append(all, help.Section{Title: s.Title, Entries: entries[s.Name]})
	}
	return all
}

// helpActions returns the actions with keys, except for movement: those of the panes' own
// sections, those that work in all panes, and those on queued jobs, as most jobs are not queued.
func (p *Pane) helpActions() []action {
	var all []action
	keys := p.opts.keys.Actions()
	for _, k := range keys {
		a := p.actions[k.ID()]
		movement := slices.ContainsFunc(keys, func(m keymap.Action) bool { return m.Section == "list" && m.Name == k.Name })
		if a.needs == needsProgram && !p.opts.program {
			continue
		}
		if len(k.Keys()) > 0 && !movement {
			all = append(all, a)
		}
	}
	slices.SortStableFunc(all, func(a, b action) int { return a.helpOrder() - b.helpOrder() })
	return all
}

// helpOrder is the position of an action in its section of help.
func (a action) helpOrder() int {
	switch {
	case a.rank == rankQueue:
		return 2
	case a.Section == "panes":
		return 1
	}
	return 0
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

// helpRank orders the sections of help: own, that of the focused pane, then general actions,
// those on jobs and their output, and the rest.
func helpRank(section, own string) int {
	switch section {
	case own:
		return 0
	case "panes":
		return 1
	case "jobs", "log":
		return 2
	}
	return 3
}
