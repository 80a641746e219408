package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// unwatchedEvery is the minimum time between two frames of a window without focus.
const unwatchedEvery = 100 * time.Millisecond

// unwatched paces a window without focus: changes of jobs are drawn a few times a second, the
// user's actions at once.
type unwatched struct {
	round bool     // the next round is scheduled
	due   bool     // draw the current state
	shown tea.View // the last view
	drawn bool     // shown is valid
}

type roundMsg struct{}

// paced decides whether the change by msg is drawn now or in the next round, which the returned
// command schedules.
func (w *window) paced(msg tea.Msg) tea.Cmd {
	u := &w.unwatched
	switch msg.(type) {
	case roundMsg:
		u.round = false
	case tea.KeyMsg, tea.MouseMsg, tea.PasteMsg, tea.WindowSizeMsg, tea.FocusMsg, tea.BlurMsg, tea.ResumeMsg:
		u.due = true
		return nil
	}
	if w.focused || u.round || !w.pane.dirty {
		return nil
	}
	u.due, u.round = true, true
	return tea.Tick(unwatchedEvery, func(time.Time) tea.Msg { return roundMsg{} })
}

// held reports whether the last view is kept until the next round.
func (w *window) held() bool {
	u := &w.unwatched
	return !w.focused && u.round && !u.due && u.drawn && w.pane.dirty
}

// floodGate drops excess wheel and motion events so that they do not delay keys: at most one of
// each passes per frame.
type floodGate struct {
	now    func() time.Time
	wheel  time.Time
	motion time.Time
}

const frameTime = 15 * time.Millisecond

func newFloodGate(now func() time.Time) *floodGate { return &floodGate{now: now} }

func (g *floodGate) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	last := &g.motion
	switch msg.(type) {
	case tea.MouseWheelMsg:
		last = &g.wheel
	case tea.MouseMotionMsg:
	default:
		return msg
	}
	now := g.now()
	if now.Sub(*last) < frameTime {
		return nil
	}
	*last = now
	return msg
}
