package logview

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestCurrentLineIsCopied compares the marked row with the line that y copies.
func TestCurrentLineIsCopied(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(s *harness)
		row  int
		line string
	}{
		{"following", func(*harness) {}, 9, "line 2000"},
		{"scrolled", func(s *harness) { s.press("k", "k") }, 9, "line 1998"},
		{"top", func(s *harness) { s.press("g") }, 0, "line 1"},
		{"percentage", func(s *harness) { s.do(s.m.JumpPercent(25)) }, 0, "line 537"},
		{"match", func(s *harness) { s.search("line 700$", true) }, 3, "line 700"},
		{"match scrolled away", func(s *harness) {
			s.search("line 700$", true)
			s.press("pgdown")
		}, 0, "line 706"},
		{"search ended", func(s *harness) {
			s.search("line 700$", true)
			s.search("", false)
		}, 3, "line 700"},
		{"click", func(s *harness) {
			s.do(s.m.Update(tea.MouseClickMsg{X: 2, Y: 4, Button: tea.MouseLeft}))
			s.do(s.m.Update(tea.MouseReleaseMsg{X: 2, Y: 4, Button: tea.MouseLeft}))
		}, 4, "line 1995"},
		{"clicked and scrolled away by output", func(s *harness) {
			s.do(s.m.Update(tea.MouseClickMsg{X: 2, Y: 4, Button: tea.MouseLeft}))
			s.do(s.m.Update(tea.MouseReleaseMsg{X: 2, Y: 4, Button: tea.MouseLeft}))
			s.grow(numbered(2001, 2100))
		}, 9, "line 2100"},
		{"selection ended", func(s *harness) { s.press("v", "k", "k", "v", "G", "v", "k", "k", "v", "k") }, 9, "line 1999"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := show(t, numbered(1, 2000), 40, 10, true)
			c.do(s)
			if y, n := s.m.CurrentRows(); y != c.row || n != 1 {
				t.Errorf("rows %d+%d, want row %d", y, n, c.row)
			}
			if at := s.m.Cursor(); at == nil || at.Y != c.row {
				t.Errorf("cursor at %v, want row %d", at, c.row)
			}
			if s.press("y"); s.copied != c.line {
				t.Errorf("y copied %q, want %q", s.copied, c.line)
			}
		})
	}
}

// A wrapped line is marked on each of its visible rows, and on none without focus.
func TestCurrentLineIsMarkedOnAllItsRows(t *testing.T) {
	s := show(t, numbered(1, 20)+"0123456789012345678901234567890123456789012345678\nend\n", 30, 4, true)
	s.press("w")
	s.search("0123", false)
	if y, n := s.m.CurrentRows(); y != 1 || n != 2 {
		t.Errorf("rows %d+%d, want 1+2", y, n)
	}
	s.m.SetFocus(false)
	if _, n := s.m.CurrentRows(); n != 0 || s.m.Cursor() != nil {
		t.Error("marked without the focus")
	}
}
