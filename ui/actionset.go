package ui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/ui/components/help"
)

// actionSet has the actions of the table with their keys. Keys, clicks, help, the footer and the palette
// look them up here, and ask whether one can be performed now and for which jobs.
type actionSet struct {
	*conditions
	jobs     *jobSet
	all      map[string]action          // by id
	bindings map[string][]keymap.Action // by context
}

func newActionSet(c *conditions, jobs *jobSet, table []action) *actionSet {
	s := &actionSet{conditions: c, jobs: jobs, all: withKeys(table, c.opts.keys), bindings: map[string][]keymap.Action{}}
	for _, in := range keymap.Contexts() {
		s.bindings[in.Name] = c.opts.keys.In(in.Name)
	}
	return s
}

// withKeys joins the table with the key map by id.
func withKeys(table []action, keys keymap.Map) map[string]action {
	all := map[string]action{}
	for _, a := range table {
		all[a.id] = a
	}
	for _, k := range keys.Actions() {
		a, ok := all[k.ID()]
		if !ok {
			a = action{id: k.ID(), rank: unlisted}
			if k.Section == "log" {
				a.rank = rankLog
			}
		}
		a.Action = k
		all[a.id] = a
	}
	return all
}

// refusal returns why an action cannot be performed now, or "".
func (s *actionSet) refusal(a action) string {
	jobs := s.targets(a)
	if why := s.missing(a.needs, jobs); why != "" || a.refuse == nil {
		return why
	}
	return a.refuse(jobs)
}

// missing returns what an action on jobs needs and does not have, or "".
func (s *actionSet) missing(needs need, jobs []engine.Job) string {
	switch needs {
	case needsNothing:
	case needsProgram:
		if !s.opts.program {
			return "Handled by the host program"
		}
	case needsJob, needsMarked:
		if len(jobs) == 0 {
			return "No job is selected"
		}
	case needsRoom, needsList:
		if needs == needsRoom && s.view.lay.listOnly() {
			return tooSmallForPane
		}
		if len(s.jobs.all) == 0 {
			return "There are no jobs"
		}
	}
	return ""
}

// targets returns the jobs that an action applies to.
func (s *actionSet) targets(a action) []engine.Job {
	if a.needs == needsMarked && s.view.focus == areaList {
		if marked := s.list.Marked(); len(marked) > 0 {
			return marked
		}
	}
	if j, ok := s.output.job(); ok {
		return []engine.Job{j.Job}
	}
	return nil
}

// boundTo returns the action that a key is bound to in a context.
func (s *actionSet) boundTo(msg tea.KeyPressMsg, context string) (a keymap.Action, ok bool) {
	for _, a := range s.bindings[context] {
		if keymap.Match(msg, a.Binding) {
			return a, true
		}
	}
	return keymap.Action{}, false
}

// hinted returns the key of an action as shown in the footer.
func (s *actionSet) hinted(id string) key.Binding {
	a := s.all[id]
	b := a.Binding
	b.SetEnabled(b.Enabled() && s.refusal(a) == "")
	if a.hint != nil {
		a.hint(&b)
	}
	return b
}

// helpSections returns the keys by section, those of the focused pane first. They include the
// actions on the selected job that work in all panes.
func (s *actionSet) helpSections(context string) []help.Section {
	own := "jobs"
	if here := s.bindings[context]; len(here) > 0 {
		own = here[0].Section
	}
	entries := map[string][]help.Entry{}
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
	sections := keymap.Sections()
	slices.SortStableFunc(sections, func(a, b keymap.Section) int { return helpRank(a.Name, own) - helpRank(b.Name, own) })
	all := make([]help.Section, 0, len(sections))
	for _, of := range sections {
		all = append(all, help.Section{Title: of.Title, Entries: entries[of.Name]})
	}
	return all
}

// helpActions returns the actions with keys, except for movement: those of the panes' own
// sections, those that work in all panes, and those on queued jobs, as most jobs are not queued.
func (s *actionSet) helpActions() []action {
	var all []action
	keys := s.opts.keys.Actions()
	for _, k := range keys {
		a := s.all[k.ID()]
		movement := slices.ContainsFunc(keys, func(m keymap.Action) bool { return m.Section == "list" && m.Name == k.Name })
		if a.needs == needsProgram && !s.opts.program {
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
