package palette_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/palette"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// newLine returns the text input that the program uses.
func newLine() *prompt.Line {
	keys := keymap.Default()
	line := prompt.NewLine(prompt.Keys{Input: keys.Input, Edit: keys.Edit}, themes.Default(true).Styles(themes.Unicode()), prompt.Options{Label: "> "})
	return line
}

// opened is a palette with what was chosen in it.
type opened struct {
	*palette.Model
	item palette.Item
}

func newPalette(w, h int) *opened {
	m := &opened{}
	m.Model = palette.New("Actions", []palette.Item{
		{ID: "stop", Title: "stop politely", Name: "stop", Key: "x"},
		{ID: "kill", Title: "end at once", Name: "kill", Key: "X"},
		{ID: "clear", Title: "clear a finished job", Name: "clear", Key: "c", Disabled: "npm run dev is still running: x stops it"},
		{ID: "clear-finished", Title: "clear all finished jobs", Name: "clear finished", Key: "C"},
	}, newLine(), keymap.Default().Palette, themes.Default(true).Styles(themes.Unicode()), func(item palette.Item) tea.Cmd {
		m.item = item
		return nil
	})
	m.SetSize(w, h)
	return m
}

func send(m *opened, text string) {
	for _, r := range text {
		if r == '\n' {
			m.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
			continue
		}
		if r == '\t' {
			m.Update(tea.KeyPressMsg{Code: tea.KeyDown})
			continue
		}
		m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

func TestView(t *testing.T) {
	t.Run("all", func(t *testing.T) { golden.RequireEqual(t, ansi.Strip(newPalette(60, 9).View())) })
	t.Run("narrowed", func(t *testing.T) {
		m := newPalette(60, 7)
		send(m, "cle")
		golden.RequireEqual(t, ansi.Strip(m.View()))
	})
	t.Run("nothing", func(t *testing.T) {
		m := newPalette(60, 6)
		send(m, "zzz")
		golden.RequireEqual(t, ansi.Strip(m.View()))
	})
	t.Run("small", func(t *testing.T) { golden.RequireEqual(t, ansi.Strip(newPalette(40, 8).View())) })
	t.Run("smallest", func(t *testing.T) { golden.RequireEqual(t, ansi.Strip(newPalette(20, 4).View())) })
}

// A click selects the entry drawn there, in a box of any size.
func TestClick(t *testing.T) {
	for _, h := range []int{4, 5, 6, 9} {
		m := newPalette(60, h)
		for y, line := range strings.Split(ansi.Strip(m.View()), "\n") {
			if strings.Contains(line, "stop") {
				m.Click(4, y)
				break
			}
		}
		if got := m.item.ID; got != "stop" {
			t.Errorf("%d rows: the answer is %q", h, got)
		}
	}
}

func TestSelecting(t *testing.T) {
	tests := map[string]struct {
		keys, want, refused string
	}{
		"first":                  {"\n", "stop", ""},
		"by name":                {"kill\n", "kill", ""},
		"fuzzily":                {"clf\n", "clear-finished", ""},
		"by what it does":        {"at once\n", "kill", ""},
		"second":                 {"\t\n", "kill", ""},
		"what cannot be now":     {"clear\n", "clear", "npm run dev is still running: x stops it"},
		"nothing of that name":   {"zzz\n", "", ""},
		"letters are text there": {"q", "", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := newPalette(60, 9)
			send(m, tt.keys)
			if got := m.item; got.ID != tt.want || got.Disabled != tt.refused {
				t.Errorf("chosen is %q, refused for %q", got.ID, got.Disabled)
			}
		})
	}
}

func TestSizes(t *testing.T) {
	for _, w := range []int{0, 1, 5, 30, 100} {
		for _, h := range []int{0, 1, 3, 5, 30} {
			m := newPalette(w, h)
			send(m, "\t\t\t")
			view := m.View()
			lines := strings.Split(view, "\n")
			if h > 0 && len(lines) != h {
				t.Errorf("%dx%d has %d lines", w, h, len(lines))
			}
			for _, line := range lines {
				if got := cells.Width(line); h > 0 && got != w {
					t.Errorf("%dx%d: a line is %d wide", w, h, got)
				}
			}
		}
	}
}
