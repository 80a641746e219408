package ui_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobjobs/hob/ui"
	"github.com/hobjobs/hob/ui/program"
)

// place returns the position of text on the screen, counted from 1.
func (s *stage) place(text string) (x, y int) {
	s.t.Helper()
	for y, line := range strings.Split(s.text(), "\n") {
		if before, _, found := strings.Cut(line, text); found {
			return len([]rune(before)) + 1, y + 1
		}
	}
	s.t.Fatalf("%q is not on the screen:\n%s", text, s.text())
	return 0, 0
}

// Over a slow connection, all events of a drag arrive in one read.
func TestDragInOneReadIsComplete(t *testing.T) {
	for name, keys := range map[string]string{"in the log": "", "in an attached job": "a"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, ui.Three(), program.Options{})
				text := "listening"
				if keys != "" {
					s.write(keys)
					text = "screen of dev"
				}
				x, y := s.place(text)
				drag := mouseEvent(0, x, y, 'M')
				for i := 1; i < len(text); i++ {
					drag += mouseEvent(32, x+i, y, 'M')
				}
				s.write(drag + mouseEvent(0, x+len(text)-1, y, 'm'))
				time.Sleep(time.Second)
				synctest.Wait()
				if s.clipboard != text {
					t.Errorf("copied %q, want %q", s.clipboard, text)
				}
			})
		})
	}
}

// If Escape and a key arrive in one read, they look like Alt and that key, unless the terminal
// reports Escape separately.
func TestEscapeAndKeyInOneRead(t *testing.T) {
	type state struct {
		box  string // context of the open box; empty: the panes
		text string // text typed in it
	}
	for name, tt := range map[string]struct {
		first, read string
		want        state
	}{
		"Escape twice":                     {"?/x", "\x1b\x1b", state{}},
		"Escape and a command":             {"?", "\x1b:", state{box: "palette"}},
		"Escape and a capital letter":      {":", "\x1bS", state{}},
		"Escape and an arrow":              {":", "\x1b\x1b[B", state{}},
		"Escape and a letter to be typed":  {"?", "\x1b/", state{box: "input"}},
		"Alt and a letter that is bound":   {"/ab", "\x1bbZ", state{"input", "Zab"}},
		"a terminal that reports both: no": {"?", "\x1b[?5u\x1b[?62c\x1b[58;3u", state{box: "help"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, ui.Three(), program.Options{})
				for _, r := range tt.first {
					s.write(string(r))
				}
				s.write(tt.read)
				time.Sleep(time.Second)
				synctest.Wait()
				var got state
				got.box, got.text = s.pane.Typing()
				if got != tt.want {
					t.Errorf("%+v, want %+v:\n%s", got, tt.want, s.text())
				}
			})
		})
	}
	t.Run("an attached job gets what was typed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			eng := ui.Three()
			s := newStage(t, eng, program.Options{})
			s.write("a")
			s.write("\x1b\x1b")
			s.write("\x1bx")
			got := strings.Join(eng.Calls(), "\n")
			for _, want := range []string{`type "\x1b\x1b"`, `type "\x1bx"`} {
				if !strings.Contains(got, want) {
					t.Errorf("%s is not among\n%s", want, got)
				}
			}
		})
	})
}

// mouseEvent returns the report of a mouse event at a position, counted from 1.
func mouseEvent(button, x, y int, final rune) string {
	return fmt.Sprintf("\x1b[<%d;%d;%d%c", button, x, y, final)
}
