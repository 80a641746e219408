package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// unwatchedEvery is how often a window without the focus is drawn at most.
const unwatchedEvery = 100 * time.Millisecond

// unwatched is the pace of a window without the focus: what jobs do is drawn a few
// times a second, what the person does at once.
type unwatched struct {
	round bool     // another look is on its way
	due   bool     // what there is now is to be drawn
	shown tea.View // what was drawn last
	drawn bool     // there is such
}

type roundMsg struct{}

// paced decides whether what msg has changed is drawn now or with the next round,
// which the command begins.
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

// held reports whether the last view stays until the next round.
func (w *window) held() bool {
	u := &w.unwatched
	return !w.focused && u.round && !u.due && u.drawn && w.pane.dirty
}

// floodGate keeps wheel and motion floods from holding up keys: at most one of
// each a frame gets through.
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
