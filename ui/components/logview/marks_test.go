package logview

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestReturnRestoresPositionAndSearch(t *testing.T) {
	s := show(t, numbered(1, 100), 30, 4, true)
	s.do(s.m.Scroll(-50))
	find := func(text string) {
		t.Helper()
		cmd, err := s.m.Search(text, false)
		if err != nil {
			t.Fatal(err)
		}
		s.do(cmd)
	}
	find("line 6")
	before := s.m.View()
	mark := s.m.Mark()
	find("line 9")
	s.do(s.m.SetMatchingOnly(true))
	if s.m.View() == before {
		t.Fatal("the other search changed nothing")
	}
	s.do(s.m.Return(mark))
	if got := s.m.View(); got != before {
		t.Errorf("back at\n%s\nwant\n%s", got, before)
	}
	if text, at, _, _ := s.m.Query(); text != "line 6" || at == 0 {
		t.Errorf("searches for %q, at match %d", text, at)
	}

	s.do(s.m.SetFollow(true))
	mark = s.m.Mark()
	find("line 3")
	s.do(s.m.Return(mark))
	if !s.m.Following() {
		t.Error("it no longer follows")
	}
}

// Filtering while following works like tail -f piped to grep.
func TestFilterKeepsFollowing(t *testing.T) {
	s := show(t, numbered(1, 100), 30, 3, true)
	cmd, err := s.m.Filter("7", false)
	if err != nil {
		t.Fatal(err)
	}
	s.do(cmd)
	s.want("line 79", "line 97")
	s.grow(numbered(101, 107))
	s.want("line 87", "line 107")
	if _, err := s.m.Filter("(", true); err == nil || !s.m.MatchingOnly() {
		t.Errorf("invalid expression: %v, matching only %t", err, s.m.MatchingOnly())
	}
}

// Dragging in a growing log that is followed keeps the text under the pointer.
func TestSelectedTextDoesNotMove(t *testing.T) {
	s := show(t, numbered(1, 100), 30, 4, true)
	s.do(s.m.Update(tea.MouseClickMsg{X: 0, Y: 1, Button: tea.MouseLeft}))
	s.do(s.m.Update(tea.MouseMotionMsg{X: 2, Y: 2, Button: tea.MouseLeft}))
	s.grow(numbered(101, 103))
	s.want("line 97", "line 100")
	s.do(s.m.Update(tea.MouseReleaseMsg{X: 2, Y: 2, Button: tea.MouseLeft}))
	if s.copied != "line 98\nlin" {
		t.Errorf("copied %q", s.copied)
	}
	s.want("line 100", "line 103")
}

func TestSidewaysInWrappedLinesShowsNotice(t *testing.T) {
	s := show(t, strings.Repeat("word ", 20), 30, 4, true)
	s.press("w", "l")
	if len(s.notices) != 1 || !strings.Contains(s.notices[0], "w to unwrap") {
		t.Errorf("notices %q", s.notices)
	}
}
