package ui

import (
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/ui/components/toast"
)

// fails shows an error, as an action does.
func (s *harness) fails(text string) {
	s.deliver(thenMsg{s.pane.tasks, func() tea.Cmd { return s.pane.notices.message(toast.Error, text) }})
}

func TestCursorOfPromptIsBelowMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 80, 24, three())
		s.press("/")
		s.fails("The disk is full")
		s.sees("The disk is full")
		if c := s.pane.Cursor(); c == nil || c.Y != 23 {
			t.Errorf("the cursor is at %+v, not in the last row", c)
		}
	})
}

func TestMessageWrapsInTheSmallestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 20, 5, three())
		s.fails("Can't read the log of web")
		lines := strings.Split(s.screen(), "\n")
		if len(lines) != 5 || !strings.Contains(lines[2], "Can't read the") || !strings.Contains(lines[3], "log of web") {
			t.Errorf("it shows\n%s", s.screen())
		}
	})
}

func TestInterruptFitsInTheSmallestWindow(t *testing.T) {
	inBubble(t, "of hob", func(t *testing.T) {
		s := newHarness(t, 20, 5, three())
		s.press("ctrl+c")
		s.sees("Ctrl+C again to")
		s.sees("quit. Jobs keep")
		s.sees("running.")
	})
	inBubble(t, "of an embedded pane", func(t *testing.T) {
		s := newHarness(t, 20, 5, three(), embed)
		s.press("ctrl+c")
		s.sees("go back. Jobs")
		s.sees("keep running.")
	})
}
