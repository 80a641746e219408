package border_test

import (
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/ui/components/border"
)

// The thumb touches an end of the scroll bar only if the lines are at that end of the list.
func TestScrolled(t *testing.T) {
	frame := border.Frame{Border: lipgloss.NormalBorder()}
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
