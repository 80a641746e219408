package program

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/ui/components/toast"
)

func TestWindowWithoutFocusIsDrawnInRounds(t *testing.T) {
	w := windowOf(t, Options{})
	w.pane.SetSize(100, 30)
	show := func(text string) { w.pane.ShowMessage(toast.Message{Text: text, Key: "test"}) }
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

	show("one")
	if update(fact{}, "one") {
		t.Error("a window with the focus waits for something")
	}
	update(tea.BlurMsg{}, "one")
	show("two")
	if !update(fact{}, "two") {
		t.Error("there will be no round")
	}
	show("three")
	update(fact{}, "two") // until the next round
	if !update(round(), "three") {
		t.Error("there will be no other round")
	}
	if update(round(), "three") {
		t.Error("there are rounds though nothing happens")
	}
	show("four")
	update(fact{}, "four")
	show("five")
	update(tea.WindowSizeMsg{Width: 90, Height: 30}, "five")
	show("six")
	update(tea.MouseClickMsg{}, "six")
	show("seven")
	update(fact{}, "six")
	update(tea.FocusMsg{}, "seven")
	show("eight")
	update(fact{}, "eight")
}
