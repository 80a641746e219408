package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/ui/components/toast"
)

func (p *Pane) nextPane() tea.Cmd     { return p.stepFocus(1) }
func (p *Pane) previousPane() tea.Cmd { return p.stepFocus(-1) }
func (p *Pane) showList() tea.Cmd     { return p.setFocus(areaList) }
func (p *Pane) showDetail() tea.Cmd   { return p.setFocus(areaDetail) }
func (p *Pane) showLog() tea.Cmd      { return p.setFocus(areaLog) }
func (p *Pane) openLogPane() tea.Cmd  { return tea.Batch(p.setFocus(areaLog), p.reach()) }

// stepFocus focuses the next or previous pane, wrapping around.
func (p *Pane) stepFocus(n int) tea.Cmd {
	const panes = 3
	i := (int(p.view.focus-areaList) + n + panes) % panes
	return p.setFocus(areaList + area(i))
}

func (p *Pane) setFocus(a area) tea.Cmd {
	if a != areaList && p.view.lay.shape == shapeBare {
		return p.notices.refuse(tooSmallForPane)
	}
	p.view.focus = a
	return tea.Batch(p.show(), p.arrange())
}

func (p *Pane) previousJob() tea.Cmd { return p.stepJob(-1, "first") }
func (p *Pane) nextJob() tea.Cmd     { return p.stepJob(1, "last") }

// stepJob selects the previous or the next job; the focus stays where it is.
func (p *Pane) stepJob(n int, end string) tea.Cmd {
	if !p.list.StepJob(n) {
		return p.notices.refuse("This is the " + end + " job")
	}
	return p.show()
}

func (p *Pane) zoom() tea.Cmd {
	p.view.zoomed = !p.view.zoomed
	if after := p.layout(); p.view.zoomed && after.like(p.view.lay) {
		p.view.zoomed = false
		return p.notices.refuse("This pane has the whole window already")
	}
	return p.arrange()
}

// back goes back one level, innermost first. It never quits and never ends a job.
func (p *Pane) back() tea.Cmd {
	if p.view.focus == areaLog {
		if cmd, had := p.output.log.ClearSelection(); had {
			return p.tasks.route(cmd)
		}
	}
	switch {
	case p.view.focus == areaLog && p.output.searching():
		cmd, _ := p.output.log.Search("", false) // an empty search is always valid
		return p.tasks.route(cmd)
	case p.view.zoomed:
		return p.zoom()
	case p.view.focus != areaList:
		return p.setFocus(areaList)
	case p.list.Unmark():
		return nil
	case p.list.Filter() != "":
		p.list.SetFilter("")
		return p.show()
	case p.list.Project() != nil:
		p.list.SetProject(nil)
		return tea.Batch(p.show(), p.arrange())
	case p.notices.Clear():
		p.notices.interrupted = 0
		return nil
	}
	return nil
}

// quit goes back, and quits at the top level.
func (p *Pane) quit() tea.Cmd {
	if !p.view.quits() {
		return p.back()
	}
	return send(LeaveMsg{})
}

// interrupt handles Ctrl+C: the first one shows how to quit, the second one quits.
func (p *Pane) interrupt() tea.Cmd {
	if p.notices.interrupted != 0 {
		return send(LeaveMsg{})
	}
	leave := "quit"
	if !p.opts.program {
		leave = "go back"
	}
	text := p.keyLabel(p.opts.keys.Panes.Interrupt) + " again to " + leave + ". Jobs keep running."
	p.notices.interrupted = p.notices.Show(toast.Message{Text: text, Key: "interrupt"})
	return p.notices.expire(p.notices.interrupted, toast.Info.Lifetime())
}

func (p *Pane) tail() tea.Cmd {
	if p.view.lay.shape == shapeBare {
		return p.notices.refuse(tooSmallForPane)
	}
	if p.output.drawsNow() {
		return tea.Batch(p.setFocus(areaLog), p.output.showRaw(true))
	}
	return tea.Batch(p.setFocus(areaLog), p.tasks.route(p.output.log.SetFollow(true)))
}

func (p *Pane) toggleMark() tea.Cmd {
	p.list.ToggleMark()
	return p.show()
}

func (p *Pane) sortList() tea.Cmd {
	p.list.NextSort()
	return p.sorted()
}

func (p *Pane) reverseList() tea.Cmd {
	p.list.ReverseSort()
	return p.sorted()
}

// sorted follows a change of the order of the list.
func (p *Pane) sorted() tea.Cmd {
	message := toast.Message{Text: "Sorted " + p.list.Order(), Key: "sort"}
	return tea.Batch(p.notices.post(message), p.show())
}
