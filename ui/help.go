package ui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/ui/components/help"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// openHelp shows the keys that are needed most, first how to leave a job and those of the place where
// the user is. Searching finds all others.
func (p *Pane) openHelp() tea.Cmd {
	line := p.newLine(prompt.Options{Label: "/"})
	page := help.New(p.actions.helpPage(p.context()), p.actions.helpSections(p.context()), line, p.opts.keys.Help, p.opts.keys.Input, p.styles, func() tea.Cmd {
		p.modal.shut()
		return nil
	})
	return p.modal.open(&overlay{box: page, context: "help", w: 120, under: p.modal.over})
}

// helpPage returns the first page. In a replay that is all of its keys, as no other works there.
func (s *actionSet) helpPage(place string) help.Page {
	page := help.Page{Rest: s.does(s.opts.keys.Help.FilterHelp, "finds them")}
	if page.Rest != "" {
		page.Rest = "signals, replay, text fields: " + page.Rest
	}
	if place == "replay" {
		page.Wide = s.helpSections(place)[:1]
		page.Brief = page.Wide
		return page
	}
	keyText := keymap.Label
	if s.ascii() {
		keyText = keymap.ASCIILabel
	}
	brief := func(key string) string {
		if key == "space" {
			return "Spc"
		}
		return keyText(key)
	}
	also := ""
	if slices.Contains(s.all["jobs.restart"].Where, "log") {
		also = "(also in its log)"
	}
	page.Wide = append([]help.Section{s.leaveSection()}, s.pageSections(keymap.HelpPage(place), s.placesOf("jobs.restart"), keyText)...)
	page.Brief = append([]help.Section{s.briefLeaveSection()}, s.pageSections(keymap.BriefHelpPage(place), also, brief)...)
	return page
}

// leaveSection explains the leave key.
func (l *labels) leaveSection() help.Section {
	s := help.Section{Title: "Leave a job"}
	leave := l.opts.keys.Terminal.Leave
	if !isBound(leave) {
		s.Entries = []help.Entry{{Desc: "no key sends an attached job to the background"}}
		return s
	}
	presses, keepers := l.leaveKey()
	to := help.Entry{Keys: presses, Desc: "to the background; it keeps running"}
	if len(keepers) > 0 {
		to.Desc += "\n(" + strings.Join(keepers, " and ") + " keeps the first)"
	}
	s.Entries = append(s.Entries, to)
	if all := l.opts.keys.Panes.Help; len(keepers) == 0 && l.opts.program && isBound(all) {
		s.Entries = append(s.Entries, help.Entry{Keys: presses + " " + l.keyLabel(all), Desc: "this help"})
	}
	again := "twice"
	if len(keepers) > 0 {
		again = strconv.Itoa(2<<len(keepers)) + " times"
	}
	s.Entries = append(s.Entries, help.Entry{Keys: again, Desc: "quickly: sends " + l.keyLabel(leave) + " to the job"})
	return s
}

func (l *labels) briefLeaveSection() help.Section {
	s := l.leaveSection()
	s.Title, s.Entries = "", s.Entries[:1]
	if leave := &s.Entries[0]; leave.Keys != "" {
		leave.Desc = strings.Replace(leave.Desc, "to the background;", "leave a job;", 1)
	}
	return s
}

// pageSections returns the sections of a page with the current keys, which label writes. places is where
// the keys of the selected job work.
func (s *actionSet) pageSections(page []keymap.HelpSection, places string, label func(string) string) []help.Section {
	var all []help.Section
	for _, of := range page {
		section := help.Section{Title: of.Title}
		if of.Name == "job" {
			section.Note = places
		}
		for _, row := range of.Rows {
			host := func(id string) bool { return s.leftToHost(s.all[id].needs) }
			if keys, words := row.Text(s.opts.keys, label); keys != "" && !slices.ContainsFunc(row.IDs(), host) {
				section.Entries = append(section.Entries, help.Entry{Keys: keys, Desc: words})
			}
		}
		if len(section.Entries) > 0 {
			all = append(all, section)
		}
	}
	return all
}

// placesOf returns where an action works: "(list and detail)".
func (s *actionSet) placesOf(id string) string {
	where := s.all[id].Where
	if len(where) < 2 {
		return ""
	}
	last := len(where) - 1
	return "(" + strings.Join(where[:last], ", ") + " and " + where[last] + ")"
}

// helpSections returns all keys by section, those of the focused pane first. They include the
// actions on the selected job that work in all panes.
func (s *actionSet) helpSections(context string) []help.Section {
	own := "jobs"
	if here := s.bindings[context]; len(here) > 0 {
		own = here[0].Section
	}
	entries := map[string][]help.Entry{"terminal": s.leaveSection().Entries}
	for _, a := range s.helpActions() {
		section := a.Section
		if section == "panes" && a.onJob() {
			section = "jobs"
			if own == "log" {
				section = own
			}
		}
		entries[section] = append(entries[section], help.Entry{Keys: strings.Join(s.keyLabels(a.Action), " "), Desc: a.Description})
	}
	entries["player"] = append(entries["player"], help.Entry{Keys: "0 - 9", Desc: "go to the tenths of the recording"})
	sections := keymap.Sections()
	slices.SortStableFunc(sections, func(a, b keymap.Section) int { return helpRank(a.Name, own) - helpRank(b.Name, own) })
	all := make([]help.Section, 0, len(sections))
	for _, of := range sections {
		all = append(all, help.Section{Title: of.Title, Entries: entries[of.Name]})
	}
	return all
}

// helpActions returns the actions with keys: those of the panes' own sections, those that work in all
// panes, and those on queued jobs, as most jobs are not queued. Movement, which is the same in all
// panes, is that of the list.
func (s *actionSet) helpActions() []action {
	var all []action
	keys := s.opts.keys.Actions()
	for _, k := range keys {
		a := s.all[k.ID()]
		moves := slices.ContainsFunc(keys, func(m keymap.Action) bool { return m.Section == "list" && m.Name == k.Name })
		host := s.leftToHost(a.needs)
		switch {
		case host, len(k.Keys()) == 0, moves && k.Section != "list", k.Section == "terminal":
		default:
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
