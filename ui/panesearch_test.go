package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
)

// manyLines returns an engine whose running job has a long log.
func manyLines() *fake {
	eng := three()
	var log strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&log, "line %03d\n", i)
	}
	eng.logs["dev-aaaaa"] = log.String()
	return eng
}

func TestNewSearchStartsEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, manyLines())
		s.press("enter", "g", "/")
		s.write("line 5")
		s.press("enter")
		s.sees("/line 5  1 of 100")

		s.press("/")
		s.sees("line 5 · Enter to repeat")
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

func TestCanceledSearchChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, manyLines())
		s.press("enter")
		s.sees("following")
		s.press("/")
		s.write("line 5")
		s.seesNot("line 999")
		s.press("ctrl+u")
		s.sees("line 999")
		s.write("line 5")
		s.press("esc")
		s.sees("line 999")
		s.sees("following")
	})
}

func TestMatchingOnlyAsksForSearchAndFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, manyLines())
		s.press("enter", "&")
		s.write("line 99")
		s.seesNot("line 989")
		s.press("enter")
		s.sees("MATCHING")
		s.sees("following")
		s.sees("line 999")
		s.press("&", "esc")
		s.seesNot("line 989")
		s.press("&", "backspace")
		s.sees("Enter to show all lines")
		s.press("enter")
		s.seesNot("MATCHING")
		s.sees("line 989")
		s.press("esc", "&", "esc")
		s.seesNot("MATCHING")
		s.sees("following")
	})
}

// After a search, "&" asks like in less: what is typed is the pattern, not keys of the log.
func TestMatchingOnlyOffersTheLastSearch(t *testing.T) {
	for name, tt := range map[string]struct {
		keys     []string
		text     string
		sees     []string
		filtered bool
	}{
		"asks":                     {[]string{"&"}, "", []string{"regex &", "line 5 · Enter to repeat"}, false},
		"Enter takes it":           {[]string{"&", "enter"}, "", []string{"MATCHING", "line 500"}, true},
		"another one is typed":     {[]string{"&"}, "line 7v", []string{"regex &line 7v", "no matches"}, true},
		"the offer is deleted":     {[]string{"&", "backspace", "enter"}, "", []string{"line 500", "line 501"}, false},
		"empty shows all again":    {[]string{"&", "enter", "&", "backspace", "enter"}, "", []string{"/line 5"}, false},
		"the filter shows how":     {[]string{"&", "enter", "&"}, "", []string{"line 5 · Enter to repeat · Backspace for all lines"}, true},
		"Esc leaves all as it was": {[]string{"&", "enter", "&", "esc"}, "", []string{"MATCHING"}, true},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newHarness(t, 120, 30, manyLines())
			s.press("enter", "g", "/")
			s.write("line 5")
			s.press("enter")
			s.press(tt.keys...)
			s.write(tt.text)
			for _, want := range tt.sees {
				s.sees(want)
			}
			if got := s.pane.output.log.MatchingOnly(); got != tt.filtered {
				t.Errorf("only matching lines: %v, want %v", got, tt.filtered)
			}
		})
	}
}

func TestSearchUsesRegularExpression(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, manyLines())
		s.press("enter", "/")
		s.sees("regex /")
		s.sees("Ctrl+R plain text")
		s.write("line 5")
		s.sees("1 of 100")
		s.write("(")
		s.sees("missing closing )")
		s.sees("line 500") // the previous matches stay
		s.press("enter")
		s.sees("missing closing ) · Ctrl+R to search as plain text")
		s.write("0|1)0$")
		s.press("enter")
		s.sees("1 of 2")
	})
}

func TestSearchModeIsShownAndRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, manyLines())
		s.press("enter", "/")
		s.write("line 5.5")
		s.sees("1 of 10")
		s.press("ctrl+r")
		s.sees("text /line 5.5")
		s.sees("Ctrl+R regex   no matches")
		s.press("enter")
		s.sees(`No matches for the plain text "line 5.5"`)
		s.press("esc", "&")
		s.sees("text &")
		s.press("ctrl+r", "esc", "/")
		s.sees("text /") // canceling a search restores the previous one
		s.press("up", "ctrl+r", "enter")
		s.sees("1 of 10")
		s.press("esc", "/", "enter")
		s.sees("1 of 10")
	})
}

// TestClickElsewhereSendsNothing clicks while a line for the job is being typed.
func TestClickElsewhereSendsNothing(t *testing.T) {
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
		s.seesNot("Send to npm run dev:")
		s.press("g", "i", "up")
		s.sees("rm -r")
	})
}

func TestSelectedTextDoesNotMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, manyLines())
		s.press("enter", "v")
		s.sees("SELECT")
		s.seesNot("following")
		s.press("y")
		s.sees("following")
		if m, ok := sentMsg[CopyMsg](s); !ok || m.Text != "line 999" {
			t.Errorf("copied %+v", m)
		}
		s.press("v", "esc")
		s.sees("following")
		s.press("v", "ctrl+u", "ctrl+u", "ctrl+u", "esc")
		s.seesNot("following")
	})
}

// In a log that is too large to search while typing, the prompt shows that, and no results of an
// earlier search.
func TestLargeLogIsSearchedOnEnter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.logs["dev-aaaaa"] = strings.Repeat("a long line"+strings.Repeat(" ", 1<<16)+"\n", liveBytes>>16)
		s := newHarness(t, 120, 30, eng)
		s.press("enter", "/")
		s.write("long")
		s.sees("Enter to search (16 MiB)")
		s.press("enter")
		s.sees("of 256")
		s.press("/")
		s.seesNot("256")
		s.write("line")
		s.sees("Enter to search (16 MiB)")
		s.seesNot("256")
	})
}

// The number of matches is visible together with the message that the search began again at the other end.
func TestMessageDoesNotHideMatchCount(t *testing.T) {
	for name, size := range map[string][2]int{"wide": {120, 30}, "stacked": {80, 24}, "one pane": {40, 12}} {
		inBubble(t, name, func(t *testing.T) {
			s := newHarness(t, size[0], size[1], manyLines())
			s.press("enter", "/")
			s.write("line 00")
			s.press("enter", "N")
			s.sees("Search continued at the bottom")
			s.sees("/line 00  10 of 10")
			s.fails("The disk is full")
			s.sees("The disk is full")
			s.sees("/line 00  10 of 10")
		})
	}
}
