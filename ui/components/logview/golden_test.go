package logview

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/hobjobs/hob/themes"
)

// mixed has a line of every kind.
const mixed = "\x1b]0;owned\x07plain text\n" +
	"\x1b[31mred\x1b[m \x1b[1;32mgreen\x1b[m \x1b[48;5;18mback\x1b[m\n" +
	"10 %\r50 %\r100 %\n" +
	"a\tb\ttabs\n" +
	"漢字 wide, cafe\u0301, \u202ebidi\n" +
	"invalid \xff\xfe and NUL \x00 here\n" +
	"see https://example.com/x. it is needle one\n" +
	"a line that is longer than most screens, so that it wraps or is cut, with a needle at its very end: needle two\n"

func mixedLog() string {
	return mixed + numbered(1, 60) + mixed
}

var sizes = [][2]int{{0, 0}, {1, 1}, {20, 5}, {40, 10}, {80, 24}, {120, 40}}

func TestScreens(t *testing.T) {
	screens := map[string]func(s *harness){
		"following": func(*harness) {},
		"top":       func(s *harness) { s.press("g") },
		"wrapped":   func(s *harness) { s.press("w") },
		"columns":   func(s *harness) { s.press("g", "T", "#") },
		"sideways":  func(s *harness) { s.press("l", "l") },
		"search": func(s *harness) {
			s.press("g")
			s.search("needle", false)
		},
		"matching": func(s *harness) {
			s.search("needle|wide", true)
			s.press("&")
		},
		"selecting": func(s *harness) { s.press("v", "k", "k") },
		"gap": func(s *harness) {
			s.press("g")
			if len(s.m.lines) > 3 {
				s.m.lines[3].Dropped = 3435973836
			}
		},
	}
	for name, do := range screens {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for _, size := range sizes {
				s := show(t, mixedLog(), size[0], size[1], true)
				do(s)
				fmt.Fprintf(&b, "%dx%d\n", size[0], size[1])
				for line := range strings.SplitSeq(s.m.View(), "\n") {
					if got := ansi.StringWidth(line); got != size[0] {
						t.Errorf("%dx%d: a row of %d columns", size[0], size[1], got)
					}
					b.WriteString(ansi.Strip(line) + "|\n")
				}
			}
			golden.RequireEqual(t, b.String())
		})
	}
}

// TestColors shows the colors of a job, of matches and of a selection, in the terminal's 16
// colors.
func TestColors(t *testing.T) {
	theme, err := themes.Named("terminal", true)
	if err != nil {
		t.Fatal(err)
	}
	s := show(t, mixed, 70, 8, true)
	*s.m.styles = *theme.Styles(themes.Unicode())
	s.press("g", "T", "#")
	s.search("n", false)
	s.press("n")
	var b strings.Builder
	for line := range strings.SplitSeq(s.m.View(), "\n") {
		fmt.Fprintf(&b, "%q\n", line)
	}
	s.press("v", "k")
	for line := range strings.SplitSeq(s.m.View(), "\n") {
		fmt.Fprintf(&b, "%q\n", line)
	}
	golden.RequireEqual(t, b.String())
}

// The wheel scrolls the log vertically and horizontally.
func TestWheel(t *testing.T) {
	s := show(t, strings.Repeat("0123456789", 10)+"\n"+numbered(1, 100), 40, 10, true)
	wheel := func(b tea.MouseButton) { s.do(s.m.Update(tea.MouseWheelMsg{Button: b})) }
	wheel(tea.MouseWheelUp)
	if s.want("line 88", "line 97"); s.m.Following() {
		t.Error("it still follows")
	}
	wheel(tea.MouseWheelDown)
	s.want("line 91", "line 100")
	s.press("g")
	wheel(tea.MouseWheelRight)
	if got := s.screen()[0]; !strings.HasPrefix(got, "‹901") {
		t.Errorf("to the right: %q", got)
	}
	wheel(tea.MouseWheelLeft)
	if got := s.screen()[0]; !strings.HasPrefix(got, "0123") {
		t.Errorf("back: %q", got)
	}
}
