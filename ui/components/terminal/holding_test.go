package terminal

import (
	"testing"
	"time"
)

func TestUnfinishedUpdateIsShown(t *testing.T) {
	m := start(t, 10, 2, "old")
	now := time.Now()
	m.clock = func() time.Time { return now }
	m.View()
	feed(m, "\x1b[?2026h\x1b[Hnew")
	now = now.Add(holdLimit - 1)
	want(t, m, "old|")
	now = now.Add(1)
	want(t, m, "new|")
	feed(m, "er")
	want(t, m, "new|")
	feed(m, "\x1b[?2026l")
	want(t, m, "newer|")
}

func TestCursorStaysDuringAnUpdate(t *testing.T) {
	m := start(t, 10, 2, "old")
	now := time.Now()
	m.clock = func() time.Time { return now }
	m.View()
	feed(m, "\x1b[?2026h\x1b[2;8H")
	m.View()
	if c := m.Cursor(); c == nil || c.X != 3 || c.Y != 0 {
		t.Errorf("the cursor moved within the update: %+v", c)
	}
	feed(m, "\x1b[?2026l")
	m.View()
	if c := m.Cursor(); c == nil || c.X != 7 || c.Y != 1 {
		t.Errorf("the cursor did not move with the update: %+v", c)
	}
}
