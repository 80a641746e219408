package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
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
	return &actionSet{conditions: c, jobs: jobs, all: withKeys(table, c.opts.keys), bindings: c.opts.keys.ByContext()}
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
		if s.leftToHost(needs) {
			return "Handled by the host program"
		}
	case needsLog:
		if !s.output.hasLog() {
			return "No job is selected"
		}
	case needsJob, needsMarked:
		if len(jobs) == 0 {
			return s.noJob()
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

// noJob is why there is no job for an action.
func (s *actionSet) noJob() string {
	if g := s.output.group; g.shown() {
		return "This works on one job: select one of " + cells.Clean(g.of.name)
	}
	return "No job is selected"
}

// leftToHost reports whether an action is left to the host program, which the pane is only a part of.
func (s *actionSet) leftToHost(needs need) bool { return needs == needsProgram && !s.opts.program }

// targets returns the jobs that an action applies to.
func (s *actionSet) targets(a action) []engine.Job {
	if a.needs == needsMarked {
		if marked := s.marked(); len(marked) > 0 {
			return marked
		}
		if s.onGroup() {
			_, jobs := s.list.Folded()
			return jobs
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
