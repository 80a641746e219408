package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
)

// manyLines is an engine whose running job has a long log.
func manyLines() *fake {
	eng := three()
	var log strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&log, "line %03d\n", i)
	}
	eng.logs["dev-aaaaa"] = log.String()
	return eng
}

func TestSearchingAgainBeginsEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, manyLines())
		s.press("enter", "g", "/")
		s.write("line 5")
		s.press("enter")
		s.sees("/line 5  1 of 100")

		s.press("/")
		s.sees("Enter repeats line 5")
		s.write("line 7")
		s.sees("/line 7")
		s.press("esc")
		s.sees("/line 5  1 of 100")
		s.sees("line 500")

		s.press("/", "enter")
		s.sees("/line 5  2 of 100")
		s.press("/", "up", "enter")
		s.sees("/line 5  2 of 100")

		s.press("esc")
		s.seesNot("/line 5")
		s.press("/", "enter")
		s.sees("/line 5")
	})
}

func TestASearchThatIsLeftChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, manyLines())
		s.press("enter")
		s.sees("FOLLOW")
		s.press("/")
		s.write("line 5")
		s.seesNot("line 999")
		s.press("ctrl+u")
		s.sees("line 999")
		s.write("line 5")
		s.press("esc")
		s.sees("line 999")
		s.sees("FOLLOW")
	})
}

func TestMatchingOnlyAsksAndFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, manyLines())
		s.press("enter", "&")
		s.write("line 99")
		s.seesNot("line 989")
		s.press("enter")
		s.sees("MATCHING  FOLLOW")
		s.sees("line 999")
		s.press("&")
		s.sees("line 989")
		s.press("esc", "&", "esc")
		s.seesNot("MATCHING")
		s.sees("FOLLOW")
	})
}

func TestRegexIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, manyLines())
		s.press("enter", "/")
		s.sees("Ctrl+R regex")
		s.press("ctrl+r")
		s.write("line 5(")
		s.sees("not a regular expression")
		s.press("enter") // stays
		s.write("0|1)0$")
		s.press("enter")
		s.sees("of 2")
		s.press("esc", "/", "enter")
		s.sees("of 2")
	})
}

// TestAClickElsewhereSendsNothing leaves a line for the job half typed.
func TestAClickElsewhereSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.press("i")
		s.write("rm -r")
		s.deliver(tea.MouseClickMsg{X: 5, Y: 5, Button: tea.MouseLeft})
		s.pump()
		for _, c := range s.eng.did() {
			if strings.HasPrefix(c, "write") {
				t.Errorf("the engine was called: %s", c)
			}
		}
		s.seesNot("to npm run dev:")
		s.press("g", "i", "up")
		s.sees("rm -r")
	})
}

func TestNothingRunsAwayWhileItIsSelected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, manyLines())
		s.press("enter", "v")
		s.sees("SELECT")
		s.seesNot("FOLLOW")
		s.press("y")
		s.sees("FOLLOW")
		if m, ok := told[CopyMsg](s); !ok || m.Text != "line 999" {
			t.Errorf("copied %+v", m)
		}
		s.press("v", "esc")
		s.sees("FOLLOW")
		s.press("v", "ctrl+u", "ctrl+u", "ctrl+u", "esc")
		s.seesNot("FOLLOW")
	})
}

// A log that is too large to be searched with every key says so, and nothing of
// what was found before.
func TestALargeLogIsSearchedOnEnter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.logs["dev-aaaaa"] = strings.Repeat("a long line"+strings.Repeat(" ", 1<<16)+"\n", liveBytes>>16)
		s := newHarness(t, 120, 30, eng)
		s.press("enter", "/")
		s.write("long")
		s.sees("Enter searches 16 MiB")
		s.press("enter")
		s.sees("of 256")
		s.press("/")
		s.seesNot("256")
		s.write("line")
		s.sees("Enter searches 16 MiB")
		s.seesNot("256")
	})
}
