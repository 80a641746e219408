package cells_test

import (
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/internal/cells"
)

func TestName(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		w    int
		mark string
		want string
	}{
		"fits":                {"npm run dev", 20, "…", "npm run dev"},
		"too long":            {"npm run dev --port 5173", 11, "…", "npm r… 5173"},
		"cut before":          {"a very long na…", 20, "…", "a very long na…"},
		"cut before, again":   {"a very long na…", 8, "…", "a very …"},
		"the mark of a theme": {"a very long na…", 20, "~", "a very long na~"},
		"no room":             {"a very long na…", 0, "…", ""},
		"room for the mark":   {"a very long na…", 1, "…", "…"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := cells.Name(tt.in, tt.w, tt.mark); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// The thumb touches an end of the scroll bar only if the lines are at that end of the list.
func TestScrolled(t *testing.T) {
	frame := cells.Frame{Border: lipgloss.NormalBorder()}
	thumbs := func(n, top, all int) string {
		var edge string
		for _, line := range frame.Scrolled(make([]string, n), 4, top, all, "#") {
			edge += string([]rune(ansi.Strip(line))[3])
		}
		return edge
	}
	for _, tt := range []struct {
		n, top, all int
		want        string
	}{
		{4, 0, 4, "││││"},
		{4, 0, 8, "##││"},
		{4, 4, 8, "││##"},
		{4, 1, 8, "│##│"},
		{5, 1, 1000, "│#│││"},
		{5, 994, 1000, "│││#│"},
		{5, 995, 1000, "││││#"},
		{5, 0, 1000, "#││││"},
		{1, 3, 9, "#"},
	} {
		if got := thumbs(tt.n, tt.top, tt.all); got != tt.want {
			t.Errorf("%d of %d from %d: %q, want %q", tt.n, tt.all, tt.top, got, tt.want)
		}
	}
}
