package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/toast"
)

func (p *Pane) nextPane() tea.Cmd     { return p.stepFocus(1) }
func (p *Pane) previousPane() tea.Cmd { return p.stepFocus(-1) }
func (p *Pane) showList() tea.Cmd     { return p.setFocus(areaList) }
func (p *Pane) showDetail() tea.Cmd   { return p.setFocus(areaDetail) }
func (p *Pane) showLog() tea.Cmd      { return p.setFocus(areaLog) }
func (p *Pane) openLogPane() tea.Cmd  { return tea.Batch(p.setFocus(areaLog), p.reach()) }

// stepFocus goes to the next pane, around the end.
func (p *Pane) stepFocus(n int) tea.Cmd {
	const panes = 3
	i := (int(p.focus-areaList) + n + panes) % panes
	return p.setFocus(areaList + area(i))
}

// setFocus gives a pane the keyboard.
func (p *Pane) setFocus(a area) tea.Cmd {
	if a != areaList && p.lay.shape == shapeBare {
		return p.refuse("there is no room for more than the list")
	}
	p.focus = a
	p.spreadFocus()
	p.looked()
	return tea.Batch(p.show(), p.arrange())
}

func (p *Pane) zoom() tea.Cmd {
	p.zoomed = !p.zoomed
	return p.arrange()
}

// back goes one level back, from the innermost: it never quits, never ends a
// job.
func (p *Pane) back() tea.Cmd {
	p.dirty = true
	if p.focus == areaLog {
		if cmd, had := p.log.ClearSelection(); had {
			return p.route(cmd)
		}
	}
	switch {
	case p.focus == areaLog && p.searching():
		cmd, _ := p.log.Search("", false) // the empty search is always valid
		return p.route(cmd)
	case p.zoomed:
		return p.zoom()
	case p.focus != areaList:
		return p.setFocus(areaList)
	case p.list.Unmark():
		return nil
	case p.list.Filter() != "":
		p.list.SetFilter("")
		return p.show()
	case p.toasts.Clear():
		p.interrupted = 0
		return nil
	}
	return nil
}

// quit goes back, and at the top leaves.
func (p *Pane) quit() tea.Cmd {
	if !p.quits() {
		return p.back()
	}
	return send(LeaveMsg{})
}

// quits reports whether the quit key leaves hob here; elsewhere it goes back.
func (p *Pane) quits() bool { return !p.zoomed && p.focus == areaList }

// interrupt is Ctrl+C: it says how to leave, and twice leaves.
func (p *Pane) interrupt() tea.Cmd {
	if p.interrupted != 0 {
		return send(LeaveMsg{})
	}
	p.dirty = true
	k := p.opts.keys.Panes
	text := with("jobs keep running", ";", p.does(k.Interrupt, "again leaves now"))
	if quit := p.does(k.Quit, "leaves"); quit != "" {
		text = quit + ", " + text
	}
	p.interrupted = p.toasts.Show(toast.Message{Text: text, Key: "interrupt"})
	return p.toastEnd(p.interrupted, toast.Info.Lifetime())
}

// tail opens the log and follows it.
func (p *Pane) tail() tea.Cmd {
	if p.lay.shape == shapeBare {
		return p.refuse("there is no room for more than the list")
	}
	if p.drawsNow() {
		return tea.Batch(p.setFocus(areaLog), p.showRaw(true))
	}
	return tea.Batch(p.setFocus(areaLog), p.route(p.log.SetFollow(true)))
}

// toggleMark marks or unmarks the selected row.
func (p *Pane) toggleMark() tea.Cmd {
	p.list.ToggleMark()
	return p.show()
}

func (p *Pane) sortList() tea.Cmd {
	return tea.Batch(p.toast(toast.Message{Text: "sorted " + p.list.NextSort().String(), Key: "sort"}), p.show())
}

// switchStream shows a split job's other stream.
func (p *Pane) switchStream() tea.Cmd {
	if p.shown.stream == engine.StreamStderr {
		p.shown.stream = engine.StreamStdout
	} else {
		p.shown.stream = engine.StreamStderr
	}
	return tea.Batch(p.closeLog(), p.openLog())
}
