package ui

import (
	"fmt"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/ui/components/statusbadge"
)

// context names where keys are pressed now, as the key map calls it.
func (p *Pane) context() string {
	switch {
	case p.over != nil:
		return p.over.context()
	case p.attachment != nil && p.attachment.ended:
		return "ended"
	case p.attachment != nil:
		return "terminal"
	case p.prompt != nil:
		return "input"
	}
	switch p.focus {
	case areaDetail:
		return "detail"
	case areaLog:
		return "log"
	case areaList, areaNone:
	}
	return "list"
}

// press takes a key: what is on top gets it, else the action it is bound to
// where the focus is, else the focused component moves.
func (p *Pane) press(msg tea.KeyPressMsg) tea.Cmd {
	if rest, ok := p.escaped(msg); ok {
		return tea.Batch(p.press(tea.KeyPressMsg{Code: tea.KeyEscape}), p.press(rest))
	}
	p.dirty = true
	var parting tea.Cmd
	if p.park != nil && p.attachment == nil {
		if keymap.Match(msg, p.opts.keys.Terminal.Leave) {
			return p.again(msg)
		}
		parting = p.unpark()
	}
	return tea.Batch(parting, p.pressOn(msg), p.nextAsk())
}

func (p *Pane) pressOn(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case p.over != nil:
		return p.over.update(p, msg)
	case p.attachment != nil:
		return p.pressAttached(msg)
	case p.prompt != nil:
		return p.pressPrompt(msg)
	}
	for _, a := range p.actions[p.context()] {
		if keymap.Match(msg, a.Binding) {
			if cmd, ok := p.perform(a.ID()); ok {
				return cmd
			}
			break
		}
	}
	if keymap.Match(msg, p.opts.keys.Terminal.Leave) {
		return p.refuse(with("nothing to send to the background: no job has the keyboard", ";", p.does(p.opts.keys.Jobs.Attach, "attaches")))
	}
	if elsewhere := p.elsewhere(msg); elsewhere != "" {
		return p.refuse(elsewhere)
	}
	return p.toFocused(msg)
}

// elsewhere says where a key does something that does nothing in the focused
// pane; empty if it does something here, or nowhere. Scrolling to the side is
// tried by habit and needs no words.
func (p *Pane) elsewhere(msg tea.KeyPressMsg) string {
	here := p.context()
	for _, a := range p.actions[here] {
		if keymap.Match(msg, a.Binding) {
			return ""
		}
	}
	k := p.opts.keys
	if keymap.Match(msg, k.Log.Left, k.Log.Right, k.Log.LineStart, k.Log.LineEnd) {
		return ""
	}
	for _, there := range []struct {
		context, name string
		show          key.Binding
	}{{"list", "list", k.Panes.ShowList}, {"log", "log", k.Panes.ShowLog}} {
		for _, a := range p.actions[there.context] {
			if there.context != here && keymap.Match(msg, a.Binding) {
				return fmt.Sprintf("%s is a key of the %s: %s goes there, %s finds it here",
					a.Title, there.name, p.keyLabel(there.show), p.keyLabel(k.Panes.Palette))
			}
		}
	}
	return ""
}

// toFocused lets the focused component have a key.
func (p *Pane) toFocused(msg tea.KeyPressMsg) tea.Cmd {
	switch p.focus {
	case areaDetail:
		return p.route(p.detail.Update(msg))
	case areaLog:
		if p.screenShown() {
			return p.pressScreen(msg)
		}
		return p.route(p.log.Update(msg))
	case areaList, areaNone:
	}
	cmd := p.route(p.list.Update(msg))
	return tea.Batch(cmd, p.show())
}

// perform does an action by its name; ok is false if it belongs to a component.
// What cannot be done now is refused with the reason.
func (p *Pane) perform(id string) (cmd tea.Cmd, ok bool) {
	do, ok := p.verb(id)
	if !ok {
		return nil, false
	}
	if why := p.refusal(id); why != "" {
		return p.refuse(why), true
	}
	p.dirty = true
	return do(), true
}

// verb finds what an action does.
func (p *Pane) verb(id string) (do func() tea.Cmd, ok bool) {
	switch id {
	case "panes.next-pane":
		return func() tea.Cmd { return p.stepFocus(1) }, true
	case "panes.previous-pane":
		return func() tea.Cmd { return p.stepFocus(-1) }, true
	case "panes.show-list":
		return func() tea.Cmd { return p.setFocus(areaList) }, true
	case "panes.show-detail":
		return func() tea.Cmd { return p.setFocus(areaDetail) }, true
	case "panes.show-log":
		return func() tea.Cmd { return p.setFocus(areaLog) }, true
	case "jobs.open":
		return func() tea.Cmd { return tea.Batch(p.setFocus(areaLog), p.reach()) }, true
	case "panes.zoom":
		return p.zoom, true
	case "panes.back":
		return p.back, true
	case "panes.quit":
		return p.quit, true
	case "panes.interrupt":
		return p.interrupt, true
	case "panes.stop":
		return p.stop, true
	case "panes.kill":
		return p.kill, true
	case "panes.signal":
		return p.signalMenu, true
	case "panes.send-line":
		return p.sendLine, true
	case "panes.copy-path":
		return p.copyPath, true
	case "panes.pager":
		return func() tea.Cmd { return p.openOutput(false) }, true
	case "panes.editor":
		return func() tea.Cmd { return p.openOutput(true) }, true
	case "panes.help":
		return p.openHelp, true
	case "panes.palette":
		return p.openPalette, true
	case "panes.suspend":
		return func() tea.Cmd { return send(suspendMsg{}) }, true
	case "panes.toggle-mouse":
		return func() tea.Cmd { return send(toggleMouseMsg{}) }, true
	case "jobs.attach", "log.attach":
		return func() tea.Cmd { return p.attach(p.shown.id, false) }, true
	case "jobs.tail":
		return p.tail, true
	case "jobs.new":
		return p.newJob, true
	case "jobs.restart":
		return p.restart, true
	case "jobs.edit-restart":
		return p.editRestart, true
	case "jobs.remove":
		return p.remove, true
	case "jobs.clear":
		return p.clear, true
	case "jobs.clear-finished":
		return p.clearFinished, true
	case "jobs.undo":
		return p.undoClear, true
	case "jobs.filter":
		return p.openFilter, true
	case "jobs.mark":
		return func() tea.Cmd { p.list.ToggleMark(); return p.show() }, true
	case "jobs.sort":
		return p.sortList, true
	case "jobs.copy-command":
		return p.copyCommand, true
	case "log.search":
		return p.openSearch, true
	case "log.jump":
		return p.openJump, true
	case "log.follow":
		return p.follow, true
	case "log.matching-only":
		return p.matchingOnly, true
	case otherStream:
		return p.switchStream, true
	}
	return nil, false
}

// otherStream is an action without a key: a job with two streams shows the
// other one.
const otherStream = "other-stream"

// refusal says why an action cannot be done now; empty if it can.
func (p *Pane) refusal(id string) string {
	switch id {
	case "panes.suspend", "panes.toggle-mouse":
		if !p.opts.program {
			return "the program around the panes does that"
		}
		return ""
	case "panes.show-detail", "panes.show-log", "panes.next-pane", "panes.previous-pane", "panes.zoom":
		if p.lay.shape == shapeBare || p.lay.shape == shapeTooSmall {
			return "there is no room for more than the list"
		}
		return p.jobless()
	case "jobs.filter", "jobs.sort":
		return p.jobless()
	case "jobs.clear-finished":
		if c := p.counts(); c.failed+c.done == 0 {
			return "no job has finished"
		}
		return ""
	case "jobs.undo":
		if len(p.undo) == 0 {
			return "nothing to take back; hob clear --undo brings back what was cleared in the last hour"
		}
		return ""
	}
	if !needsJob(id) {
		return ""
	}
	targets := p.targets(id)
	if len(targets) == 0 {
		return "no job is selected"
	}
	return p.refusalFor(id, targets)
}

// jobless says why there is nothing to arrange; empty if there is.
func (p *Pane) jobless() string {
	if len(p.jobs) == 0 {
		return "there are no jobs"
	}
	return ""
}

func needsJob(id string) bool {
	switch id {
	case "panes.stop", "panes.kill", "panes.signal", "panes.send-line", "panes.copy-path", "panes.pager", "panes.editor",
		"jobs.open", "jobs.attach", "log.attach", "jobs.tail", "jobs.restart", "jobs.edit-restart", "jobs.remove", "jobs.clear",
		"jobs.mark", "jobs.copy-command", "log.search", "log.jump",
		"log.follow", "log.matching-only", otherStream:
		return true
	}
	return false
}

// targets are the jobs that an action is about: the marked ones, else the
// selected one. What concerns one job takes the selected one always.
func (p *Pane) targets(id string) []engine.Job {
	switch id {
	case "panes.stop", "panes.kill", "panes.signal", "jobs.restart", "jobs.remove", "jobs.clear":
		if marked := p.list.Marked(); len(marked) > 0 && p.focus == areaList {
			return marked
		}
	}
	if j, ok := p.jobs[p.shown.id]; ok {
		return []engine.Job{j.Job}
	}
	return nil
}

// refusalFor says why none of the targets can take the action.
func (p *Pane) refusalFor(id string, targets []engine.Job) string {
	j := targets[0]
	several := len(targets) > 1
	all := func(refused func(engine.Job) bool) bool {
		for _, t := range targets {
			if !refused(t) {
				return false
			}
		}
		return true
	}
	finished := func(j engine.Job) bool { return j.Status.Finished() }
	k := p.opts.keys
	switch id {
	case "panes.stop", "panes.kill":
		if all(func(j engine.Job) bool { return finished(j) && len(j.Exit.Survivors) == 0 }) {
			return p.alreadyEnded(targets)
		}
		if id == "panes.stop" && all(func(j engine.Job) bool { return j.Status == engine.Stopping }) {
			return with("it is stopping", ";", p.does(k.Panes.Kill, "kills it now"))
		}
	case "panes.signal":
		if all(finished) {
			return p.alreadyEnded(targets)
		}
	case "panes.send-line":
		switch {
		case finished(j):
			return p.alreadyEnded(targets)
		case !j.Stdin:
			return "it takes no input: it was started without"
		}
	case "jobs.attach", "log.attach":
		if j.Link == engine.LinkElsewhere {
			return "it belongs to another machine or container"
		}
	case "jobs.clear":
		if all(func(j engine.Job) bool { return !finished(j) }) {
			if several {
				return with("they are still running", ":", p.does(k.Panes.Stop, "stops them"), p.does(k.Jobs.Remove, "removes them"))
			}
			return with("it is still running", ":", p.does(k.Panes.Stop, "stops it"), p.does(k.Jobs.Remove, "removes it"))
		}
	case "panes.copy-path":
		if outputPath(j, p.shown.stream) == "" {
			return "it has no output file"
		}
	case "panes.pager", "panes.editor":
		switch {
		case j.Host != "":
			return "its output is on " + j.Host + ": hob log " + string(j.ID) + " reads it"
		case outputPath(j, p.shown.stream) == "":
			return "it has no output file"
		}
	case "log.search", "log.jump", "log.matching-only":
		if p.screenShown() {
			return p.noLog()
		}
	case otherStream:
		if !j.Split {
			return "its stdout and stderr are one stream"
		}
	}
	return ""
}

func (p *Pane) alreadyEnded(targets []engine.Job) string {
	if len(targets) > 1 {
		return "they have ended already"
	}
	if targets[0].Status == engine.Lost {
		return with("it is lost: nothing is known to run any more", ";", p.does(p.opts.keys.Jobs.Restart, "runs it again"))
	}
	return "it has ended already: " + statusbadge.Word(targets[0])
}

// outputPath is the file of the stream shown.
func outputPath(j engine.Job, s engine.Stream) string {
	switch {
	case !j.Split:
		return j.OutputPath
	case s == engine.StreamStderr:
		return j.StderrPath
	}
	return j.StdoutPath
}
