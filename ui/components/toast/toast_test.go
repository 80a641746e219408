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

func TestStack(t *testing.T) {
	m := toast.New(themes.Default(true).Styles(themes.Unicode()).Toast, themes.Unicode())
	m.SetSize(30, 6)

	first := m.Show(toast.Message{Text: "copied"})
	again := m.Show(toast.Message{Text: "copied"})
	m.Show(toast.Message{Level: toast.Error, Text: "job is not running\n", Key: toast.Refused})
	m.Show(toast.Message{Level: toast.Warning, Text: "a very long message that does not fit", Key: toast.Refused})
	got := []string{}
	for _, line := range m.Lines() {
		got = append(got, ansi.Strip(line))
	}
	want := []string{" · copied                     ", " ⚠ a very long message that   ", "   does not fit               "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if m.Drop(first) {
		t.Error("the first message was replaced, but is still there")
	}
	if !m.Drop(again) {
		t.Error("the message that replaced it is not there")
	}
	m.Show(toast.Message{Text: "sorted by name"})
	m.Show(toast.Message{Level: toast.Warning, Text: "nothing to clear", Key: toast.Refused})
	m.Show(toast.Message{Level: toast.Error, Text: "tests: exit 2"})
	m.DropAnswers()
	if got := strings.TrimSpace(ansi.Strip(strings.Join(m.Lines(), "\n"))); got != "✗ tests: exit 2" {
		t.Errorf("what is left is %q", got)
	}
	if !m.Clear() || !m.Empty() || m.Clear() {
		t.Errorf("messages are left: %q", strings.Join(m.Lines(), "\n"))
	}
}

// A long message is broken into lines, where there is room in a frame; one that
// is too long for those says that it was cut.
func TestLongMessages(t *testing.T) {
	for name, size := range map[string][2]int{"framed": {80, 22}, "plain": {40, 9}, "one row": {30, 1}} {
		t.Run(name, func(t *testing.T) {
			m := toast.New(themes.Default(true).Styles(themes.Unicode()).Toast, themes.Unicode())
			m.SetSize(size[0], size[1])
			m.Show(toast.Message{Text: "copied the path"})
			m.Show(toast.Message{Level: toast.Error, Text: "gpu2: the host key has changed since it was last seen; hob hosts check gpu2 says step by step what works and what does not"})
			golden.RequireEqual(t, ansi.Strip(strings.Join(m.Lines(), "\n")))
			for _, line := range m.Lines() {
				if got := ansi.StringWidth(line); got > size[0] {
					t.Errorf("a line is %d wide", got)
				}
			}
			if got := ansi.StringWidth(m.Last(30)); got > 30 {
				t.Errorf("in one line it is %d wide", got)
			}
		})
	}
}

func TestNoRoom(t *testing.T) {
	m := toast.New(themes.Default(true).Styles(themes.ASCII()).Toast, themes.ASCII())
	m.Show(toast.Message{Text: "copied"})
	for _, size := range [][2]int{{0, 0}, {1, 1}, {80, 0}} {
		m.SetSize(size[0], size[1])
		if got := strings.Join(m.Lines(), "\n"); got != "" {
			t.Errorf("%v: %q", size, got)
		}
	}
}
