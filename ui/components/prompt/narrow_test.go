package prompt

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
)

func narrowLine(t *testing.T, theme string, o Options) *Line {
	t.Helper()
	look, err := themes.Named(theme, true)
	if err != nil {
		t.Fatal(err)
	}
	k := keymap.Default()
	l := NewLine(Keys{Input: k.Input, Edit: k.Edit}, look.Styles(themes.Unicode()), o)
	return l
}

func TestLongLabelLeavesRoomForText(t *testing.T) {
	l := narrowLine(t, "none", Options{Label: "to a job with a long name: "})
	l.SetValue("hello")
	for w, want := range map[int]string{60: "to a job with a long name: hello", 20: "to a job: hello", 9: "hello", 6: "hello"} {
		l.SetWidth(w)
		got := strings.TrimRight(ansi.Strip(l.View()), " ")
		if c := l.Cursor(); got != want || c == nil || c.X != len(want) {
			t.Errorf("%d columns: %q with the cursor at %+v, want %q", w, got, c, want)
		}
	}
}

func TestUntypedTextIsDistinguishable(t *testing.T) {
	for theme, want := range map[string]string{"none": "(npm run dev)", "dark": "npm run dev"} {
		l := narrowLine(t, theme, Options{Placeholder: "npm run dev"})
		l.SetWidth(40)
		if got := strings.TrimRight(ansi.Strip(l.View()), " "); got != want {
			t.Errorf("%s: %q, want %q", theme, got, want)
		}
	}
	for theme, want := range map[string]string{"none": "make[ all]", "dark": "make all"} {
		l := narrowLine(t, theme, Options{History: []string{"make all"}})
		l.SetValue("make")
		l.SetWidth(40)
		if got := strings.TrimRight(ansi.Strip(l.View()), " "); got != want {
			t.Errorf("%s: %q, want %q", theme, got, want)
		}
	}
}
