package toast_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/toast"
)

func TestMessages(t *testing.T) {
	m := toast.New(themes.Default(true).Styles(themes.Unicode()))
	check := func(rows int, want ...string) {
		t.Helper()
		var got []string
		for _, line := range m.Lines(30, rows) {
			got = append(got, ansi.Strip(line))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	first := m.Show(toast.Message{Text: "Copied command"})
	again := m.Show(toast.Message{Text: "Copied command"})
	check(3, "· Copied command")
	if m.Drop(first) || !m.Drop(again) {
		t.Error("the same text did not replace the message shown")
	}
	m.Show(toast.Message{Level: toast.Error, Text: "tests failed (exit 2)\n"})
	m.Show(toast.Message{Level: toast.Success, Text: "Restored web"})
	m.Show(toast.Message{Level: toast.Warning, Text: "a very long message that does not fit", Key: toast.Refused})
	check(3, "✗ tests failed (exit 2) ", "⚠ a very long message that", "  does not fit")
	check(1, "⚠ a very long message that do…")
	check(0)
	m.DropAnswers()
	check(3, "✗ tests failed (exit 2) ", "✓ Restored web")
	if !m.Clear() || m.Clear() {
		t.Error("messages are left")
	}
	check(3)
}

// A long message is wrapped; text that does not fit in the rows is cut.
func TestLongMessages(t *testing.T) {
	for name, size := range map[string][2]int{"three rows": {78, 3}, "narrow": {38, 3}, "one row": {30, 1}, "no room": {2, 1}} {
		t.Run(name, func(t *testing.T) {
			m := toast.New(themes.Default(true).Styles(themes.Unicode()))
			m.Show(toast.Message{Level: toast.Error, Text: "gpu2: the host key has changed since it was last seen; hob hosts check gpu2 tests the connection step by step and prints what works"})
			lines := m.Lines(size[0], size[1])
			golden.RequireEqual(t, ansi.Strip(strings.Join(lines, "\n")))
			for _, line := range lines {
				if got := ansi.StringWidth(line); got > size[0] {
					t.Errorf("a line is %d wide", got)
				}
			}
		})
	}
}
