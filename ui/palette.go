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

// openPalette offers every action by name. Those of the log that only move are
// left to their keys; what cannot be done now says why.
func (p *Pane) openPalette() tea.Cmd {
	var items []palette.Item
	for _, a := range p.opts.keys.Actions() {
		if _, ok := p.verb(a.ID()); !ok && a.Section != "log" || a.ID() == "panes.palette" || a.ID() == "log.attach" {
			continue
		}
		items = append(items, palette.Item{
			ID: a.ID(), Title: a.Title, Note: a.Description, Key: strings.Join(p.keyLabels(a), " "), Disabled: p.refusal(a.ID()),
		})
	}
	items = append(items, palette.Item{
		ID: otherStream, Title: "other stream", Note: "show stderr instead of stdout, or back", Disabled: p.refusal(otherStream),
	})
	slices.SortStableFunc(items, func(a, b palette.Item) int { return cmp.Compare(paletteRank(a), paletteRank(b)) })
	line := prompt.NewLine(p.promptKeys(), p.styles.Prompt, prompt.WithLabel(": "))
	line.Focus()
	m := palette.New("Actions", items, line, p.opts.keys.Palette, p.styles.Palette, p.opts.glyphs)
	return p.open(&paletteBox{m, p.performNamed})
}

// paletteRank puts what can be done to jobs first, then what is done in the log,
// then moving about, which nobody does by name; what cannot be done now last.
func paletteRank(i palette.Item) int {
	rank := 0
	section, name, _ := strings.Cut(i.ID, ".")
	switch {
	case section == "jobs":
	case section == "log" || i.ID == otherStream:
		rank = 2
	case strings.HasSuffix(name, "-pane") || strings.HasPrefix(name, "show-") || name == "back":
		rank = 3
	default:
		rank = 1
	}
	if i.Disabled != "" {
		rank += 10
	}
	return rank
}

// performNamed does what the palette chose: a verb, or a key of the log.
func (p *Pane) performNamed(id string) tea.Cmd {
	if cmd, ok := p.perform(id); ok {
		return cmd
	}
	a, ok := p.opts.keys.Action(id)
	if !ok || len(a.Binding.Keys()) == 0 {
		return p.refuse("it has no key")
	}
	focus := p.setFocus(areaLog)
	press := tea.KeyPressMsg{Code: tea.KeyExtended, Text: a.Binding.Keys()[0]} // a key is known by its name
	return tea.Batch(focus, p.route(p.log.Update(press)))
}

// keyLabels are an action's keys as this terminal can show them.
func (p *Pane) keyLabels(a keymap.Action) []string {
	if p.ascii() {
		labels := []string{}
		for _, k := range a.Binding.Keys() {
			labels = append(labels, keymap.ASCIILabel(k))
		}
		return labels
	}
	return a.Keys()
}

func (p *Pane) ascii() bool { return p.opts.glyphs.Running[0] < 0x80 }

// openHelp shows every key from the live bindings, a section a group, what works
// here first.
func (p *Pane) openHelp() tea.Cmd {
	here := map[string]bool{}
	for _, a := range p.actions[p.context()] {
		here[a.Section] = true
	}
	var first, rest []help.Section
	seen := map[string]bool{} // what moves in every pane is said once
	names := keymap.Sections()
	slices.SortStableFunc(names, func(a, b string) int { return helpRank(a) - helpRank(b) })
	for _, name := range names {
		s := help.Section{Title: sectionTitle(name)}
		for _, a := range p.opts.keys.Actions() {
			keys := strings.Join(p.keyLabels(a), " ")
			line := keys + "\x00" + a.Description
			if a.Section != name || keys == "" || !a.Binding.Enabled() || seen[line] || hostAction(a.ID()) && !p.opts.program {
				continue
			}
			seen[line] = true
			s.Entries = append(s.Entries, help.Entry{Keys: keys, Desc: a.Description})
		}
		if here[name] {
			first = append(first, s)
		} else {
			rest = append(rest, s)
		}
	}
	notes := []string{p.leaveHint() + ". Twice within 700 ms types it into the job."}
	line := prompt.NewLine(p.promptKeys(), p.styles.Prompt, prompt.WithLabel("/"))
	line.Focus()
	return p.open(&helpBox{help.New(append(first, rest...), notes, line, p.opts.keys.Help, p.opts.keys.Input, p.styles.Help, p.opts.glyphs)})
}

// helpRank orders help: what is done to jobs and with their output before what is
// the same everywhere, and how to move last.
func helpRank(section string) int {
	switch section {
	case "jobs", "log":
		return 0
	case "panes":
		return 1
	}
	return 2
}

// sectionTitle names a section of the key map for people.
func sectionTitle(section string) string {
	switch section {
	case "panes":
		return "In every pane"
	case "jobs":
		return "Jobs, in list and detail"
	case "list":
		return "Moving"
	case "detail":
		return "Moving in the detail"
	case "log":
		return "Log"
	case "terminal":
		return "While a job has the keyboard"
	case "ended":
		return "When it has ended"
	case "dialog":
		return "Questions and menus"
	case "edit":
		return "In a line of text"
	case "input":
		return "Prompts"
	case "picker":
		return "Palette"
	case "help-page":
		return "This page"
	}
	return section
}

// hostAction reports whether only a program around the pane can do it.
func hostAction(id string) bool { return id == "panes.suspend" || id == "panes.toggle-mouse" }
