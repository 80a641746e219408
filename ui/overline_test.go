package ui

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hobjobs/hob/internal/vt"
)

// overlines marks, under the text of the row in which s stands, what is overlined
// ("-"), concealed ("h") or both ("x") from there on.
func (s *stage) overlines(text string) string {
	s.t.Helper()
	_, rows := s.screen.Size()
	for y := range rows {
		cells := s.screen.Row(y)
		for x := range cells {
			var row strings.Builder
			for _, c := range cells[x:] {
				row.WriteString(s.screen.CellText(c))
			}
			if !strings.HasPrefix(row.String(), text) {
				continue
			}
			var b strings.Builder
			for _, c := range cells[x:] {
				attrs := s.screen.Style(c).Attrs & (vt.Overline | vt.Hidden | vt.Blink)
				b.WriteString(map[vt.Attr]string{0: " ", vt.Overline: "-", vt.Hidden: "h", vt.Overline | vt.Blink: "b", vt.Blink: "B"}[attrs])
			}
			return strings.TrimRight(b.String(), " ")
		}
	}
	s.t.Fatalf("%q is not on the screen:\n%s", text, s.text())
	return ""
}

func TestOverlineReachesTheTerminal(t *testing.T) {
	tests := map[string]struct{ drawn, text, want string }{
		"a word":                   {"ab \x1b[53mcd\x1b[55m ef", "ab cd", "   --"},
		"up to a reset":            {"ab \x1b[53mcd\x1b[m ef", "ab cd", "   --"},
		"blanks":                   {"ab \x1b[53m        \x1b[55m ef", "ab    ", "   --------"},
		"blanks at the end":        {"ab \x1b[53m        \x1b[55m", "ab    ", "   --------"},
		"with colours":             {"\x1b[38;5;6;48;2;8;6;8mab \x1b[53mcd\x1b[55m ef", "ab cd", "   --"},
		"beside other attributes":  {"\x1b[1;3;4;9mab \x1b[53mcd\x1b[55m ef", "ab cd", "   --"},
		"beside what blinks":       {"\x1b[5mab\x1b[53mcd\x1b[25mef\x1b[55mgh", "abcdef", "BBbb--"},
		"beside what is concealed": {"\x1b[8mab\x1b[28;53mcd\x1b[8mef\x1b[55;28mgh", "abcdef", "hh--hh"},
		"only what is concealed":   {"\x1b[8mab\x1b[28mcd", "abcd", "hh"},
		"what only looks like it":  {"ab \x1b[38;5;53mcd\x1b[m 53", "ab cd 53", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, three(), AppOptions{Foreground: "dev-aaaaa", KeepEnded: true})
				for _, before := range []string{"", "\x1b[53m" + strings.Repeat("~", 20), "\x1b[8m" + strings.Repeat("~", 20)} {
					s.eng.screen.send(before)
					s.settle()
					s.eng.screen.send("> " + tt.drawn)
					s.settle()
					if got := strings.TrimPrefix(s.overlines("> "), "  "); got != tt.want {
						t.Errorf("over %q its screen is %q, want %q", before, got, tt.want)
					}
				}
				eng := three()
				eng.logs["dev-aaaaa"] = strings.ReplaceAll(tt.drawn, "\x1b[5m", "") + "\n" // a log does not blink
				s = newStage(t, eng, AppOptions{})
				if got, want := s.overlines(tt.text), strings.NewReplacer("B", " ", "b", "-").Replace(tt.want); got != want {
					t.Errorf("in its log %q, want %q", got, want)
				}
			})
		})
	}
}
