package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

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
