package prompt_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/ui/components/prompt"
)

func TestLineFeedsAreKept(t *testing.T) {
	line := newLine(20, prompt.Options{LineFeed: "↵"})
	line.Update(tea.PasteMsg{Content: "one\r\ntwo\x1b[31m\rdrei\n"})
	if got := line.Value(); strings.Count(got, "\n") != 2 || strings.ContainsAny(got, "\r\x1b") {
		t.Errorf("pasted %q", got)
	}
	line.SetValue("one\ntwo")
	typeKeys(line.Update, "<left><left><left><left>!")
	if got := line.Value(); got != "one!\ntwo" {
		t.Errorf("edited to %q", got)
	}
	if got := strings.TrimRight(ansi.Strip(line.View()), " "); got != "one!↵two" {
		t.Errorf("shows %q", got)
	}
	if c := line.Cursor(); c == nil || c.X != 4 {
		t.Errorf("cursor %+v", c)
	}

	single := newLine(20, prompt.Options{})
	single.Update(tea.PasteMsg{Content: "one\ntwo"})
	if got := single.Value(); got != "one two" {
		t.Errorf("a line for one took %q", got)
	}
}
