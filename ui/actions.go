package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/keymap"
)

// action is one thing that a key, a click or the palette makes the pane do.
type action struct {
	id            string
	keymap.Action // keys and words, from the key map

	do    func(p *Pane, jobs []engine.Job) tea.Cmd // nil: a component does it
	needs need
	// refuse explains why the action cannot be done now; empty if it can. It is
	// asked only once there is what the action needs. Nil: the action can always
	// be done.
	refuse func(p *Pane, jobs []engine.Job) string
	rank   rank
	hint   func(p *Pane, b *key.Binding) // changes what the footer shows of its key now
}

// need is what must be there before an action makes sense. It also decides which
// jobs the action gets.
type need int

const (
	needsNothing need = iota
	needsJob          // the selected job
	needsMarked       // the marked jobs, else the selected one
	needsList         // a list that is not empty
	needsRoom         // the same, and room for more than the list
	needsProgram      // a program around the pane
)

// rank is the place of an action in the palette.
type rank int

const (
	rankJobs rank = iota
	rankPanes
	rankLog
	rankMoves // used by key, rarely by name
	unlisted
)

// otherStream is in the palette alone: the key map does not have it.
const otherStream = "log.other-stream"

// actions is the table of all actions of the pane. An action has its keys and its
// words in package keymap, its row here and, where a footer names it, a place in
// [Pane.footers]. The key map's actions without a row belong to a component.
func actions() []action {
	return []action{
		{id: "panes.next-pane", do: alone((*Pane).nextPane), needs: needsRoom, rank: rankMoves},
		{id: "panes.previous-pane", do: alone((*Pane).previousPane), needs: needsRoom, rank: rankMoves},
		{id: "panes.show-list", do: alone((*Pane).showList), rank: rankMoves},
		{id: "panes.show-detail", do: alone((*Pane).showDetail), needs: needsRoom, rank: rankMoves},
		{id: "panes.show-log", do: alone((*Pane).showLog), needs: needsRoom, rank: rankMoves},
		{id: "panes.zoom", do: alone((*Pane).zoom), needs: needsRoom, rank: rankPanes, hint: (*Pane).hintZoom},
		{id: "panes.back", do: alone((*Pane).back), rank: rankMoves},
		{id: "panes.quit", do: alone((*Pane).quit), rank: rankPanes},
		{id: "panes.interrupt", do: alone((*Pane).interrupt), rank: rankPanes},
		{id: "panes.stop", do: (*Pane).stop, needs: needsMarked, refuse: (*Pane).refuseStop, rank: rankPanes},
		{id: "panes.kill", do: (*Pane).kill, needs: needsMarked, refuse: (*Pane).refuseKill, rank: rankPanes},
		{id: "panes.signal", do: (*Pane).signalMenu, needs: needsMarked, refuse: (*Pane).refuseSignal, rank: rankPanes},
		{id: "panes.send-line", do: (*Pane).sendLine, needs: needsJob, refuse: (*Pane).refuseLine, rank: rankPanes},
		{id: "panes.copy-path", do: (*Pane).copyPath, needs: needsJob, refuse: (*Pane).refusePath, rank: rankPanes},
		{id: "panes.pager", do: (*Pane).openPager, needs: needsJob, refuse: (*Pane).refuseFile, rank: rankPanes},
		{id: "panes.editor", do: (*Pane).openEditor, needs: needsJob, refuse: (*Pane).refuseFile, rank: rankPanes},
		{id: "panes.help", do: alone((*Pane).openHelp), rank: rankPanes},
		{id: "panes.palette", do: alone((*Pane).openPalette), rank: unlisted},
		{id: "panes.suspend", do: sends(suspendMsg{}), needs: needsProgram, rank: rankPanes},
		{id: "panes.toggle-mouse", do: sends(toggleMouseMsg{}), needs: needsProgram, rank: rankPanes},

		{id: "jobs.open", do: alone((*Pane).openLogPane), needs: needsJob},
		{id: "jobs.attach", do: (*Pane).attachTo, needs: needsJob, refuse: (*Pane).refuseAttach, hint: (*Pane).hintAttach},
		{id: "jobs.tail", do: alone((*Pane).tail), needs: needsJob},
		{id: "jobs.new", do: alone((*Pane).newJob)},
		{id: "jobs.restart", do: (*Pane).restart, needs: needsMarked},
		{id: "jobs.edit-restart", do: (*Pane).editRestart, needs: needsJob},
		{id: "jobs.remove", do: (*Pane).remove, needs: needsMarked},
		{id: "jobs.clear", do: (*Pane).clear, needs: needsMarked, refuse: (*Pane).refuseClear},
		{id: "jobs.clear-finished", do: alone((*Pane).clearFinished), refuse: (*Pane).refuseClearFinished},
		{id: "jobs.undo", do: alone((*Pane).undoClear), refuse: (*Pane).refuseUndo},
		{id: "jobs.filter", do: alone((*Pane).openFilter), needs: needsList},
		{id: "jobs.mark", do: alone((*Pane).toggleMark), needs: needsJob},
		{id: "jobs.sort", do: alone((*Pane).sortList), needs: needsList},
		{id: "jobs.copy-command", do: (*Pane).copyCommand, needs: needsJob},

		{id: "log.attach", do: (*Pane).attachTo, needs: needsJob, refuse: (*Pane).refuseAttach, rank: unlisted, hint: (*Pane).hintAttach},
		{id: "log.search", do: alone((*Pane).openSearch), needs: needsJob, refuse: (*Pane).refuseOnScreen, rank: rankLog},
		{id: "log.next-match", rank: rankLog, hint: (*Pane).hintNextMatch},
		{id: "log.jump", do: alone((*Pane).openJump), needs: needsJob, refuse: (*Pane).refuseOnScreen, rank: rankLog},
		{id: "log.follow", do: alone((*Pane).follow), needs: needsJob, rank: rankLog, hint: (*Pane).hintFollow},
		{id: "log.matching-only", do: alone((*Pane).matchingOnly), needs: needsJob, refuse: (*Pane).refuseOnScreen, rank: rankLog},
		{
			id: otherStream, do: alone((*Pane).switchStream), needs: needsJob, refuse: (*Pane).refuseStream, rank: rankLog,
			Action: keymap.Action{Title: "other stream", Description: "show stderr instead of stdout, or back"},
		},
	}
}

// footers name the actions in the footer of a pane, those that matter most first,
// and those for which a second line has room.
func (p *Pane) footers() (first, more []string) {
	switch {
	case p.focus == areaLog && p.screenShown():
		return []string{"panes.back", "log.attach", "log.follow", "log.copy", "panes.send-line", "panes.stop", "panes.zoom"}, nil
	case p.focus == areaLog:
		return []string{"panes.back", "log.follow", "log.search", "log.next-match", "log.attach", "log.copy", "log.wrap", "panes.stop", "panes.zoom"},
			[]string{
				"log.timestamps", "log.line-numbers", "log.matching-only", "log.jump", "log.select",
				"panes.pager", "panes.editor", "panes.copy-path", "panes.toggle-mouse",
			}
	}
	more = []string{
		"jobs.mark", "jobs.sort", "panes.send-line", "panes.signal", "jobs.edit-restart", "jobs.remove", "jobs.clear-finished",
		"panes.zoom", "panes.toggle-mouse",
	}
	if p.focus == areaDetail {
		return []string{"panes.back", "jobs.open", "jobs.attach", "panes.stop", "jobs.restart", "jobs.copy-command", "panes.copy-path"}, more
	}
	return []string{
		"jobs.open", "jobs.attach", "jobs.new", "jobs.undo", "panes.stop", "jobs.clear", "jobs.tail", "jobs.restart", "jobs.filter",
		"jobs.copy-command",
	}, more
}

// withKeys joins the table with the key map, by id.
func withKeys(keys keymap.Map) map[string]action {
	all := map[string]action{}
	for _, a := range actions() {
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

// alone makes the do of an action that is not about particular jobs.
func alone(do func(*Pane) tea.Cmd) func(*Pane, []engine.Job) tea.Cmd {
	return func(p *Pane, _ []engine.Job) tea.Cmd { return do(p) }
}

// sends makes the do of an action that the program around the pane does.
func sends(msg tea.Msg) func(*Pane, []engine.Job) tea.Cmd {
	return func(*Pane, []engine.Job) tea.Cmd { return send(msg) }
}

// perform does an action; ok is false if it belongs to a component. What cannot
// be done now is refused with the reason.
func (p *Pane) perform(id string) (cmd tea.Cmd, ok bool) {
	a := p.actions[id]
	if a.do == nil {
		return nil, false
	}
	if why := p.refusal(a); why != "" {
		return p.refuse(why), true
	}
	p.dirty = true
	return a.do(p, p.targets(a)), true
}

// refusal explains why an action cannot be done now; empty if it can.
func (p *Pane) refusal(a action) string {
	jobs := p.targets(a)
	switch {
	case a.needs == needsProgram && !p.opts.program:
		return "the program around the panes does that"
	case a.needs == needsRoom && (p.lay.shape == shapeBare || p.lay.shape == shapeTooSmall):
		return "there is no room for more than the list"
	case (a.needs == needsRoom || a.needs == needsList) && len(p.jobs) == 0:
		return "there are no jobs"
	case (a.needs == needsJob || a.needs == needsMarked) && len(jobs) == 0:
		return "no job is selected"
	case a.refuse != nil:
		return a.refuse(p, jobs)
	}
	return ""
}

// targets are the jobs that an action is about.
func (p *Pane) targets(a action) []engine.Job {
	if a.needs == needsMarked && p.focus == areaList {
		if marked := p.list.Marked(); len(marked) > 0 {
			return marked
		}
	}
	if j, ok := p.jobs[p.shown.id]; ok {
		return []engine.Job{j.Job}
	}
	return nil
}
