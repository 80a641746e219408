package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/ui/components/selection"
)

type pointer struct {
	drag    area // pane in which the button was pressed
	held    bool // a button was pressed in the pane and is held
	clicked selection.Clicks
}

// mouse handles a mouse message. It goes to the pane under the pointer, focused or not.
func (p *Pane) mouse(msg tea.MouseMsg) tea.Cmd {
	ev := msg.Mouse()
	x, y := ev.X-p.view.x, ev.Y-p.view.y
	inside := rect{0, 0, p.view.w, p.view.h}.has(x, y)
	if p.hostTakesOver() || !inside && !p.pointer.held {
		return nil
	}
	switch msg.(type) {
	case tea.MouseClickMsg:
		p.pointer.held = inside
	case tea.MouseReleaseMsg:
		p.pointer.held = false
	}
	inFooter := y == p.view.h-1 && !p.view.lay.footer.empty() && !p.modal.whole()
	if inFooter && isLeftClick(msg) {
		p.pointer.drag = areaNone
		return p.clickFooter(x)
	}
	if p.modal.over != nil {
		return p.modal.mouse(msg, x, y)
	}
	if p.fore.terminal() != nil {
		if y >= p.view.lay.footer.y && p.pointer.drag == areaNone {
			return nil
		}
		return p.fore.input(moved(msg, x, y))
	}
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		return p.wheel(msg, x, y)
	case tea.MouseClickMsg:
		return p.click(msg, x, y)
	case tea.MouseMotionMsg:
		if p.pointer.drag == areaLog {
			return p.toLog(moved(msg, x-p.view.lay.log.x, y-p.view.lay.log.y))
		}
	case tea.MouseReleaseMsg:
		drag := p.pointer.drag
		p.pointer.drag = areaNone
		if drag == areaLog {
			return tea.Batch(p.toLog(moved(msg, x-p.view.lay.log.x, y-p.view.lay.log.y)), p.arrange())
		}
	}
	return nil
}

// moved returns a mouse message with another position.
func moved(msg tea.MouseMsg, x, y int) tea.Msg {
	switch m := msg.(type) {
	case tea.MouseClickMsg:
		m.X, m.Y = x, y
		return m
	case tea.MouseReleaseMsg:
		m.X, m.Y = x, y
		return m
	case tea.MouseWheelMsg:
		m.X, m.Y = x, y
		return m
	case tea.MouseMotionMsg:
		m.X, m.Y = x, y
		return m
	}
	return msg
}

func wheelStep(b tea.MouseButton) int {
	switch b {
	case tea.MouseWheelUp:
		return -selection.WheelRows
	case tea.MouseWheelDown:
		return selection.WheelRows
	}
	return 0
}

func (p *Pane) wheel(msg tea.MouseWheelMsg, x, y int) tea.Cmd {
	switch p.view.lay.at(x, y) {
	case areaList:
		p.list.Scroll(wheelStep(msg.Button))
		return p.show()
	case areaDetail:
		p.detail.Scroll(wheelStep(msg.Button))
	case areaLog:
		return p.toLog(moved(msg, x-p.view.lay.log.x, y-p.view.lay.log.y))
	case areaNone:
	}
	return nil
}

// toLog passes a mouse event to the log, unless a screen is shown instead.
func (p *Pane) toLog(msg tea.Msg) tea.Cmd {
	if p.output.screenShown() {
		return nil
	}
	return p.tasks.route(p.output.log.Update(msg))
}

func (p *Pane) click(msg tea.MouseClickMsg, x, y int) tea.Cmd {
	if msg.Button != tea.MouseLeft {
		return nil
	}
	var cmds []tea.Cmd
	if p.modal.prompt != nil {
		cmds = append(cmds, p.modal.leavePrompt(p.modal.prompt))
	}
	where := p.view.lay.at(x, y)
	p.pointer.drag = where
	double := p.pointer.clicked.Press([2]int{x, y}, p.opts.clock()) == 2
	switch where {
	case areaList:
		job := p.list.Click(x-p.view.lay.list.x, y-p.view.lay.list.y)
		cmds = append(cmds, p.setFocus(areaList))
		if job && double {
			cmd, _ := p.perform("jobs.attach")
			cmds = append(cmds, cmd)
		}
	case areaDetail:
		cmds = append(cmds, p.setFocus(areaDetail))
	case areaLog:
		cmds = append(cmds, p.setFocus(areaLog), p.toLog(moved(msg, x-p.view.lay.log.x, y-p.view.lay.log.y)))
	case areaNone:
	}
	return tea.Batch(cmds...)
}

func isLeftClick(msg tea.Msg) bool {
	click, _ := msg.(tea.MouseClickMsg)
	return click.Button == tea.MouseLeft
}
