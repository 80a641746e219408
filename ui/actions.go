package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/keymap"
)

// action is an operation of the pane, started by a key, a click or the palette.
type action struct {
	id            string
	keymap.Action // keys and description, from the key map

	do    func(p *Pane, jobs []engine.Job) tea.Cmd // nil: a component does it
	needs need
	// refuse returns why the action cannot be performed now, or "". It is called only if need is
	// met. Nil: the action can always be performed.
	refuse func(p *Pane, jobs []engine.Job) string
	rank   rank
	hint   func(p *Pane, b *key.Binding) // adjusts the key that the footer shows
}

// need is what an action requires. It also determines which jobs the action gets.
type need int

const (
	needsNothing need = iota
	needsJob          // the selected job
	needsMarked       // the marked jobs, or else the selected one
	needsList         // a list that is not empty
	needsRoom         // a list that is not empty, and room for another pane
	needsProgram      // the pane is in hob's own program
)

// rank is the position of an action in the palette.
type rank int

const (
	rankJobs rank = iota
	rankPanes
	rankQueue
	rankLog
	rankMoves // usually invoked by key
	unlisted
)

// otherStream is only in the palette, not in the key map.
const otherStream = "log.other-stream"

// actions is the table of all actions of the pane. The keys and descriptions are in package
// keymap; [Pane.footers] lists the actions shown in footers. Actions of the key map without a row
// here belong to a component.
func actions() []action {
	return []action{
		{id: "panes.next-pane", do: alone((*Pane).nextPane), needs: needsRoom, rank: rankMoves},
		{id: "panes.previous-pane", do: alone((*Pane).previousPane), needs: needsRoom, rank: rankMoves},
		{id: "panes.show-list", do: alone((*Pane).showList), rank: rankMoves},
		{id: "panes.show-detail", do: alone((*Pane).showDetail), needs: needsRoom, rank: rankMoves},
		{id: "panes.show-log", do: alone((*Pane).showLog), needs: needsRoom, rank: rankMoves},
		{id: "panes.zoom", do: alone((*Pane).zoom), needs: needsRoom, rank: rankPanes, hint: (*Pane).hintZoom},
		{id: "panes.back", do: alone((*Pane).back), rank: rankMoves},
		{id: "panes.quit", do: alone((*Pane).quit), rank: rankPanes, hint: (*Pane).hintQuit},
		{id: "panes.interrupt", do: alone((*Pane).interrupt), rank: unlisted},
		{id: "panes.stop", do: (*Pane).stop, needs: needsMarked, refuse: (*Pane).refuseStop, rank: rankPanes},
		{id: "panes.kill", do: (*Pane).kill, needs: needsMarked, refuse: (*Pane).refuseKill, rank: rankPanes},
		{id: "panes.signal", do: (*Pane).signalMenu, needs: needsMarked, refuse: (*Pane).refuseSignal, rank: rankPanes},
		{id: "panes.send-line", do: func(p *Pane, jobs []engine.Job) tea.Cmd { return p.lines.ask(jobs) }, needs: needsJob, refuse: (*Pane).refuseLine, rank: rankPanes, hint: (*Pane).hintSendLine},
		{id: "panes.copy-path", do: (*Pane).copyPath, needs: needsJob, refuse: (*Pane).refusePath, rank: rankPanes},
		{id: "panes.pager", do: (*Pane).openPager, needs: needsJob, refuse: (*Pane).refuseFile, rank: rankPanes},
		{id: "panes.editor", do: (*Pane).openEditor, needs: needsJob, refuse: (*Pane).refuseFile, rank: rankPanes},
		{id: "panes.help", do: alone((*Pane).openHelp), rank: rankPanes},
		{id: "panes.palette", do: alone((*Pane).openPalette), rank: unlisted},
		{id: "panes.suspend", do: sends(SuspendMsg{}), needs: needsProgram, rank: rankPanes},
		{id: "panes.toggle-mouse", do: sends(ToggleMouseMsg{}), needs: needsProgram, rank: rankPanes},

		{id: "jobs.open", do: alone((*Pane).openLogPane), needs: needsJob, hint: (*Pane).hintOpen},
		{id: "jobs.attach", do: (*Pane).attachTo, needs: needsJob, refuse: (*Pane).refuseAttach, hint: (*Pane).hintAttach},
		{id: "jobs.tail", do: alone((*Pane).tail), needs: needsJob},
		{id: "jobs.new", do: alone((*Pane).newJob)},
		{id: "jobs.restart", do: (*Pane).restart, needs: needsMarked},
		{id: "jobs.run-another", do: (*Pane).runAnother, needs: needsMarked},
		{id: "jobs.edit-restart", do: (*Pane).editRestart, needs: needsJob},
		{id: "jobs.start-now", do: (*Pane).startNow, needs: needsMarked, refuse: (*Pane).refuseTurn, rank: rankQueue, hint: (*Pane).hintTurn},
		{id: "jobs.run-next", do: (*Pane).runNext, needs: needsMarked, refuse: (*Pane).refuseTurn, rank: rankQueue, hint: (*Pane).hintQueue},
		{id: "jobs.pause-queue", do: (*Pane).pauseQueue, needs: needsJob, refuse: (*Pane).refusePauseQueue, rank: rankQueue, hint: (*Pane).hintPause},
		{id: "jobs.remove", do: (*Pane).remove, needs: needsMarked},
		{id: "jobs.clear", do: (*Pane).clear, needs: needsMarked, refuse: (*Pane).refuseClear},
		{id: "jobs.clear-finished", do: alone((*Pane).clearFinished), refuse: (*Pane).refuseClearFinished},
		{id: "jobs.undo", do: alone((*Pane).undoClear), hint: (*Pane).hintUndo},
		{id: "jobs.filter", do: alone((*Pane).openFilter), needs: needsList},
		{id: "jobs.mark", do: alone((*Pane).toggleMark), needs: needsJob},
		{id: "jobs.sort", do: alone((*Pane).sortList), needs: needsList},
		{id: "jobs.reverse-sort", do: alone((*Pane).reverseList), needs: needsList},
		{id: "jobs.copy-command", do: (*Pane).copyCommand, needs: needsJob},
		{id: "jobs.replay", do: (*Pane).replay, needs: needsJob, refuse: (*Pane).refuseReplay},

		{id: "log.attach", do: (*Pane).attachTo, needs: needsJob, refuse: (*Pane).refuseAttach, rank: unlisted, hint: (*Pane).hintAttach},
		{id: "log.search", do: alone(func(p *Pane) tea.Cmd { return p.searches.open() }), needs: needsJob, refuse: (*Pane).refuseOnScreen, rank: rankLog},
		{id: "log.next-match", rank: rankLog, hint: (*Pane).hintNextMatch},
		{id: "log.jump", do: alone(func(p *Pane) tea.Cmd { return p.searches.openJump() }), needs: needsJob, refuse: (*Pane).refuseOnScreen, rank: rankLog},
		{id: "log.follow", do: alone(func(p *Pane) tea.Cmd { return p.output.follow() }), needs: needsJob, rank: rankLog, hint: (*Pane).hintFollow},
		{id: "log.matching-only", do: alone(func(p *Pane) tea.Cmd { return p.searches.matchingOnly() }), needs: needsJob, refuse: (*Pane).refuseOnScreen, rank: rankLog},
		{
			id: otherStream, do: alone(func(p *Pane) tea.Cmd { return p.output.switchStream() }), needs: needsJob, refuse: (*Pane).refuseStream, rank: rankLog,
			Action: keymap.Action{Title: "other stream", Description: "switch between stdout and stderr"},
		},
	}
}

// footers returns the actions shown in the footer, in groups: the most important ones, those on
// the job first. Help shows all others.
func (p *Pane) footers() [][]string {
	switch {
	case p.focus == areaLog && p.output.screenShown():
		return [][]string{{"panes.back"}, {"log.attach", "panes.send-line", "panes.stop"}, {"log.follow", "log.copy", "panes.zoom"}}
	case p.focus == areaLog:
		return [][]string{{"panes.back"}, {"log.follow", "log.search", "log.next-match", "log.copy", "log.wrap"}, {"log.attach", "panes.stop"}}
	case p.focus == areaDetail:
		return [][]string{{"panes.back"}, {"jobs.open", "jobs.attach", "panes.stop", "jobs.restart"}, {"jobs.copy-command", "panes.copy-path"}}
	}
	return [][]string{
		{"jobs.undo"},
		{"jobs.start-now", "jobs.run-next", "jobs.pause-queue"},
		{"jobs.open", "jobs.attach", "panes.send-line", "panes.stop", "jobs.restart", "jobs.clear"},
		{"jobs.new", "jobs.filter"},
	}
}

// withKeys joins the table with the key map by id.
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

// onJob reports whether the action applies to a job.
func (a action) onJob() bool { return a.needs == needsJob || a.needs == needsMarked }

// onList reports whether an action is for the list of jobs, or for what is beside it.
func (a action) onList() bool { return a.needs == needsList || a.needs == needsRoom }

// alone adapts f to action.do, for an action that needs no jobs.
func alone(do func(*Pane) tea.Cmd) func(*Pane, []engine.Job) tea.Cmd {
	return func(p *Pane, _ []engine.Job) tea.Cmd { return do(p) }
}

// sends returns a do for an action that the host program performs.
func sends(msg tea.Msg) func(*Pane, []engine.Job) tea.Cmd {
	return func(*Pane, []engine.Job) tea.Cmd { return send(msg) }
}

// perform performs an action; ok is false if it belongs to a component. An action that cannot be
// performed now shows the reason.
func (p *Pane) perform(id string) (cmd tea.Cmd, ok bool) {
	a := p.actions[id]
	if a.do == nil {
		return nil, false
	}
	switch id {
	case "jobs.open", "jobs.mark":
		if p.focus == areaList && p.list.ToggleFold() {
			return p.show(), true
		}
	}
	if why := p.refusal(a); why != "" {
		return p.notices.refuse(why), true
	}
	return a.do(p, p.targets(a)), true
}

// tooSmallForPane is shown where only the list fits.
const tooSmallForPane = "Window too small for that pane"

// refusal returns why an action cannot be performed now, or "".
func (p *Pane) refusal(a action) string {
	jobs := p.targets(a)
	switch {
	case a.needs == needsProgram && !p.opts.program:
		return "Handled by the host program"
	case a.needs == needsRoom && p.lay.listOnly():
		return tooSmallForPane
	case a.onList() && len(p.jobs.all) == 0:
		return "There are no jobs"
	case a.onJob() && len(jobs) == 0:
		return "No job is selected"
	case a.refuse != nil:
		return a.refuse(p, jobs)
	}
	return ""
}

// targets returns the jobs that an action applies to.
func (p *Pane) targets(a action) []engine.Job {
	if a.needs == needsMarked && p.focus == areaList {
		if marked := p.list.Marked(); len(marked) > 0 {
			return marked
		}
	}
	if j, ok := p.output.job(); ok {
		return []engine.Job{j.Job}
	}
	return nil
}
