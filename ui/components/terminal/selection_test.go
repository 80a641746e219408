package terminal

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/ui/components/selection"
)

// keys presses keys, with Shift except for those that end a selection, and returns the copied
// text.
func keys(m *Model, codes ...rune) (copied string) {
	for _, c := range codes {
		k := tea.KeyPressMsg{Code: c, Mod: tea.ModShift}
		switch c {
		case tea.KeyEnter, tea.KeyEscape:
			k.Mod = 0
		case 'c':
			k.Mod = tea.ModCtrl
		}
		if cmd := m.Update(k); cmd != nil {
			if msg, ok := cmd().(selection.CopyMsg); ok {
				copied = msg.Text
			}
		}
	}
	return copied
}

func TestSelectionByKeys(t *testing.T) {
	const text = "one two\r\nthree\r\nfour"
	tests := []struct {
		name, stream string
		keys         []rune
		copied       string
		typed        string
	}{
		{"back from the cursor", text, []rune{tea.KeyPgUp, tea.KeyLeft, tea.KeyLeft, tea.KeyEnter}, "ur", ""},
		{"lines", text, []rune{tea.KeyPgUp, tea.KeyHome, tea.KeyUp, tea.KeyUp, 'c'}, "one two\nthree\nfour", ""},
		{"over the begin of a line", text + "\r", []rune{tea.KeyPgUp, tea.KeyLeft, tea.KeyUp, tea.KeyHome, tea.KeyEnter}, "one two\nthree\nf", ""},
		{"unmarked", text, []rune{tea.KeyPgUp, tea.KeyLeft, tea.KeyEscape, tea.KeyEnter}, "", "\r"},
		{"nothing marked", text, []rune{tea.KeyPgUp, 'c'}, "", "\x03"},
		{"not reading", text, []rune{tea.KeyLeft}, "", "\x1b[1;2D"},
		{"a full-screen program", "\x1b[?1049h\x1b[Hone\r\ntwo", []rune{tea.KeyPgUp, tea.KeyHome, tea.KeyUp, tea.KeyEnter}, "one\ntwo", ""},
		{"what has scrolled away", lines(1, 20), []rune{tea.KeyPgUp, tea.KeyHome, tea.KeyPgUp, tea.KeyPgUp, tea.KeyEnter}, "9\n10\n11\n12\n13\n14\n15\n16\n1", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := start(t, 10, 5, tt.stream)
			if got := keys(m, tt.keys...); got != tt.copied {
				t.Errorf("copied %q, want %q", got, tt.copied)
			}
			if got := string(m.TakeInput()); got != tt.typed {
				t.Errorf("typed %q, want %q", got, tt.typed)
			}
			screen(t, m)
		})
	}
}

func TestSelectionStaysWhileOutputArrives(t *testing.T) {
	m := start(t, 10, 3, lines(1, 20))
	keys(m, tea.KeyPgUp, tea.KeyHome, tea.KeyUp)
	at := m.Cursor()
	if at == nil {
		t.Fatal("the end of the mark is not seen")
	}
	before := screen(t, m)
	feed(m, lines(21, 25))
	after := screen(t, m)
	if now := m.Cursor(); now == nil || now.Y != at.Y || after[now.Y] != before[at.Y] {
		t.Errorf("output moved the mark from %v to %v", at, now)
	}
	m.Update(tea.KeyPressMsg{Code: 'x', Text: "x"})
	if got := string(m.TakeInput()); got != "x" {
		t.Errorf("typed %q", got)
	}
	want(t, m, "24|25|")
}
