package ui

import (
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
)

func TestWindowWithoutFocusIsDrawnInRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 100, 30, three())
		w := &window{App: &App{pane: s.pane}, focused: true}
		rename := func(name string) {
			j := s.eng.jobs[0]
			j.Name = name
			s.facts(engine.Event{Kind: engine.EventTitle, Job: j})
		}
		var round tea.Cmd
		// update passes a message to the program as Bubble Tea does.
		update := func(msg tea.Msg, name string) (later bool) {
			t.Helper()
			_, cmd := w.Update(msg)
			if cmd != nil {
				round = cmd
			}
			if !strings.Contains(w.View().Content, name) {
				t.Errorf("after %T %q is not shown", msg, name)
			}
			return cmd != nil
		}
		type fact struct{}

		rename("one")
		if update(fact{}, "one") {
			t.Error("a window with the focus waits for something")
		}
		update(tea.BlurMsg{}, "one")
		rename("two")
		if !update(fact{}, "two") {
			t.Error("there will be no round")
		}
		rename("three")
		update(fact{}, "two") // until the next round
		if !update(round(), "three") {
			t.Error("there will be no other round")
		}
		if update(round(), "three") {
			t.Error("there are rounds though nothing happens")
		}
		rename("four")
		update(fact{}, "four")
		rename("five")
		update(tea.WindowSizeMsg{Width: 90, Height: 30}, "five")
		rename("six")
		update(tea.MouseClickMsg{}, "six")
		rename("seven")
		update(fact{}, "six")
		update(tea.FocusMsg{}, "seven")
		rename("eight")
		update(fact{}, "eight")
	})
}
