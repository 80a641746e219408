package ui

import (
	"strings"
	"testing"
)

// The footer shows what its keys apply to: the marked jobs, or the selected lines of the log.
func TestFooterFollowsMarksAndSelection(t *testing.T) {
	for name, tt := range map[string]struct {
		keys []string
		want string
	}{
		"nothing marked":       {nil, " Enter log  a attach  x stop  r restart    n new  / filter    ? help"},
		"all marked":           {[]string{"space", "space", "space"}, " x stop 1  r restart 3  c clear 2    Esc unmark    ? help"},
		"a running one marked": {[]string{"space"}, " x stop 1  r restart 1    Esc unmark    ? help"},
		"unmarked":             {[]string{"space", "esc", "g"}, " Enter log  a attach  x stop  r restart    n new  / filter    ? help"},
		"one line":             {[]string{"enter", "v"}, " y copy 1 line  Esc cancel    ? help"},
		"lines above":          {[]string{"enter", "v", "k", "k", "k"}, " y copy 4 lines  Esc cancel    ? help"},
		"there and back":       {[]string{"enter", "v", "k", "k", "k", "j", "j"}, " y copy 2 lines  Esc cancel    ? help"},
		"more than a screen":   {[]string{"enter", "v", "pgup", "pgup", "pgup", "pgup", "j"}, " y copy "},
		"canceled":             {[]string{"enter", "v", "k", "esc"}, " Esc list  [ ] other job    / search  y copy  w wrap  f pause"},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newHarness(t, 120, 30, manyLines())
			s.press(tt.keys...)
			lines := strings.Split(s.screen(), "\n")
			if got := lines[29]; !strings.HasPrefix(got, tt.want) {
				t.Errorf("the footer is\n%q, want\n%q", got, tt.want)
			}
		})
	}
}

// The number of lines in the footer is the number of lines that are copied.
func TestCopiedLinesAreThoseOfTheFooter(t *testing.T) {
	inBubble(t, "far up", func(t *testing.T) {
		s := newHarness(t, 120, 30, manyLines())
		s.press("enter", "v", "pgup", "pgup", "pgup", "pgup", "pgup", "pgup", "k")
		before, _, _ := strings.Cut(strings.Split(s.screen(), "\n")[29], " lines")
		shown := strings.TrimPrefix(before, " y copy ")
		s.press("y")
		s.sees("Copied " + shown + " lines")
	})
}
