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

	do    func(jobs []engine.Job) tea.Cmd // nil: a component does it
	needs need
	// refuse returns why the action cannot be performed now, or "". It is called only if need is
	// met. Nil: the action can always be performed.
	refuse func(jobs []engine.Job) string
	rank   rank
	hint   func(b *key.Binding) // adjusts the key that the footer shows
}

// need is what an action requires. It also determines which jobs the action gets.
type need int

const (
	needsNothing need = iota
	needsJob          // the selected job
	needsLog          // the log of the selected job or of a group
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

// actionTable is the table of all actions of the pane. The keys and descriptions are in package
// keymap; [actionSet.footers] lists the actions shown in footers. Actions of the key map without a row
// here belong to a component.
func (p *Pane) actionTable() []action {
	a, c := p.jobActions, p.conditions
	return []action{
		{id: "panes.next-pane", do: alone(p.nextPane), needs: needsRoom, rank: rankMoves},
		{id: "panes.previous-pane", do: alone(p.previousPane), needs: needsRoom, rank: rankMoves},
		{id: "panes.show-list", do: alone(p.showList), rank: rankMoves},
		{id: "panes.show-detail", do: alone(p.showDetail), needs: needsRoom, rank: rankMoves},
		{id: "panes.show-log", do: alone(p.showLog), needs: needsRoom, rank: rankMoves},
		{id: "panes.previous-job", do: alone(p.previousJob), needs: needsRoom, rank: rankMoves},
		{id: "panes.next-job", do: alone(p.nextJob), needs: needsRoom, rank: rankMoves, hint: c.hintOtherJob},
		{id: "panes.zoom", do: alone(p.zoom), needs: needsRoom, rank: rankPanes, hint: c.hintZoom},
		{id: "panes.back", do: alone(p.back), rank: rankMoves, hint: c.hintBack},
		{id: "panes.quit", do: alone(p.quit), rank: rankPanes, hint: c.hintQuit},
		{id: "panes.interrupt", do: alone(p.interrupt), rank: unlisted},
		{id: "panes.stop", do: a.stop, needs: needsMarked, refuse: c.refuseStop, rank: rankPanes, hint: c.hintCount(stoppable)},
		{id: "panes.kill", do: a.kill, needs: needsMarked, refuse: c.refuseKill, rank: rankPanes},
		{id: "panes.signal", do: a.signalMenu, needs: needsMarked, refuse: c.refuseSignal, rank: rankPanes},
		{id: "panes.send-line", do: p.lines.ask, needs: needsJob, refuse: c.refuseLine, rank: rankPanes, hint: c.hintSendLine},
		{id: "panes.copy-path", do: a.copyPath, needs: needsJob, refuse: c.refusePath, rank: rankPanes},
		{id: "panes.pager", do: a.openPager, needs: needsJob, refuse: c.refuseFile, rank: rankPanes},
		{id: "panes.editor", do: a.openEditor, needs: needsJob, refuse: c.refuseFile, rank: rankPanes},
		{id: "panes.help", do: alone(p.openHelp), rank: rankPanes},
		{id: "panes.palette", do: alone(p.openPalette), rank: unlisted},
		{id: "panes.suspend", do: sends(SuspendMsg{}), needs: needsProgram, rank: rankPanes},
		{id: "panes.toggle-mouse", do: sends(ToggleMouseMsg{}), needs: needsProgram, rank: rankPanes},

		{id: "jobs.open", do: alone(p.openLogPane), needs: needsLog, hint: c.hintOpen},
		{id: "jobs.attach", do: p.attachTo, needs: needsJob, refuse: c.refuseAttach, hint: c.hintAttach},
		{id: "jobs.tail", do: alone(p.tail), needs: needsLog},
		{id: "jobs.new", do: alone(p.newJob)},
		{id: "jobs.restart", do: p.restart, needs: needsMarked, hint: c.hintCount(restartable)},
		{id: "jobs.run-another", do: a.runAnother, needs: needsMarked},
		{id: "jobs.revive", do: alone(a.revive), needs: needsList},
		{id: "jobs.edit-restart", do: p.editRestart, needs: needsJob, hint: c.hintEdit},
		{id: "jobs.start-now", do: a.startNow, needs: needsMarked, refuse: c.refuseTurn, rank: rankQueue, hint: c.hintTurn},
		{id: "jobs.run-next", do: a.runNext, needs: needsMarked, refuse: c.refuseTurn, rank: rankQueue, hint: c.hintQueue},
		{id: "jobs.pause-queue", do: a.pauseQueue, needs: needsJob, refuse: c.refusePauseQueue, rank: rankQueue, hint: c.hintPause},
		{id: "jobs.remove", do: a.remove, needs: needsMarked},
		{id: "jobs.clear", do: a.clear, needs: needsMarked, refuse: c.refuseClear, hint: c.hintCount(finished)},
		{id: "jobs.clear-finished", do: alone(a.clearFinished), refuse: c.refuseClearFinished},
		{id: "jobs.undo", do: alone(a.undoClear), hint: c.hintUndo},
		{id: "jobs.filter", do: alone(p.openFilter), needs: needsList},
		{id: "jobs.mark", do: alone(p.toggleMark), needs: needsJob},
		{id: "jobs.sort", do: alone(p.sortList), needs: needsList},
		{id: "jobs.reverse-sort", do: alone(p.reverseList), needs: needsList},
		{id: "jobs.copy-command", do: a.copyCommand, needs: needsJob},
		{id: "jobs.replay", do: p.replay, needs: needsJob, refuse: c.refuseReplay},

		{id: "log.attach", do: p.attachTo, needs: needsJob, refuse: c.refuseAttach, rank: unlisted, hint: c.hintAttach},
		{id: "log.search", do: alone(p.searches.open), needs: needsLog, refuse: c.refuseOnScreen, rank: rankLog},
		{id: "log.next-match", rank: rankLog, hint: c.hintNextMatch},
		{id: "log.copy", rank: rankLog, hint: c.hintCopy},
		{id: "log.jump", do: alone(p.searches.openJump), needs: needsLog, refuse: c.refuseOnScreen, rank: rankLog},
		{id: "log.follow", do: alone(p.output.follow), needs: needsLog, rank: rankLog, hint: c.hintFollow},
		{id: "log.matching-only", do: alone(p.searches.matchingOnly), needs: needsLog, refuse: c.refuseOnScreen, rank: rankLog},
		{
			id:     otherStream,
			do:     alone(p.output.switchStream),
			needs:  needsJob,
			refuse: c.refuseStream,
			rank:   rankLog,
			Action: keymap.Action{Title: "other stream", Description: "switch between stdout and stderr"},
		},
	}
}

// onJob reports whether the action applies to a job.
func (a action) onJob() bool {
	switch a.needs {
	case needsJob, needsMarked, needsLog:
		return true
	default:
		return false
	}
}

// perform performs an action; ok is false if it belongs to a component. An action that cannot be
// performed now shows the reason.
func (p *Pane) perform(id string) (cmd tea.Cmd, ok bool) {
	a := p.actions.all[id]
	if a.do == nil {
		return nil, false
	}
	inList := p.view.focus == areaList
	group, _ := p.list.Folded()
	switch {
	case id == "jobs.mark" && inList && group != "":
		return p.toggleMark(), true
	case group != "": // its log is opened like that of a job
	case id == "jobs.open", id == "jobs.mark":
		if inList && p.list.ToggleFold() {
			return p.show(), true
		}
	}
	if why := p.actions.refusal(a); why != "" {
		return p.notices.refuse(why), true
	}
	return a.do(p.actions.targets(a)), true
}

// tooSmallForPane is shown where only the list fits.
const tooSmallForPane = "Window too small for that pane"

// alone adapts f to action.do, for an action that needs no jobs.
func alone(do func() tea.Cmd) func([]engine.Job) tea.Cmd {
	return func([]engine.Job) tea.Cmd { return do() }
}

// sends returns a do for an action that the host program performs.
func sends(msg tea.Msg) func([]engine.Job) tea.Cmd {
	return func([]engine.Job) tea.Cmd { return send(msg) }
}

// footers returns the actions shown in the footer, in groups: the most important ones, those on
// the job first. Help shows all others.
func (s *actionSet) footers() [][]string {
	switch s.view.focus {
	case areaLog:
		if s.output.log.Selecting() {
			return [][]string{{"log.copy", "panes.back"}}
		}
		if s.output.screenShown() {
			return [][]string{{"panes.back", "panes.next-job"}, {"log.attach", "panes.send-line", "panes.stop", "jobs.restart"}, {"log.follow", "log.copy", "panes.zoom"}}
		}
		log := []string{"log.search", "log.next-match", "log.copy"}
		if s.view.w >= roomyFooter { // in less room, the keys of the job matter more
			log = append(log, "log.wrap", "log.follow")
		}
		return [][]string{{"panes.back", "panes.next-job"}, log, {"log.attach", "panes.send-line", "panes.stop", "jobs.restart", "jobs.edit-restart", "jobs.replay"}}
	case areaDetail:
		return [][]string{{"panes.back", "panes.next-job"}, {"jobs.open", "jobs.attach", "panes.stop", "jobs.restart"}, {"jobs.copy-command", "panes.copy-path"}}
	case areaList, areaNone:
		if len(s.list.Marked()) > 0 {
			return [][]string{{"jobs.undo"}, {"panes.stop", "jobs.restart", "jobs.clear"}, {"panes.back"}}
		}
		if s.output.group.shown() {
			return [][]string{{"jobs.undo"}, {"jobs.open", "panes.stop", "jobs.restart", "jobs.filter"}}
		}
	}
	look := []string{"jobs.open", "jobs.attach", "panes.send-line"}
	if j, ok := s.list.Selected(); ok && j.NeedsInput() { // its answer matters more than its log
		look = []string{"jobs.attach", "panes.send-line", "jobs.open"}
	}
	return [][]string{
		{"jobs.undo"},
		{"jobs.start-now", "jobs.run-next", "jobs.pause-queue"},
		append(look, "panes.stop", "jobs.restart", "jobs.clear"),
		{"jobs.new", "jobs.filter"},
	}
}
