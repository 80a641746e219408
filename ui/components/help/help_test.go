package help_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/help"
	"github.com/hobjobs/hob/ui/components/prompt"
)

// newLine returns the text input that the program uses.
func newLine() *prompt.Line {
	keys := keymap.Default()
	line := prompt.NewLine(prompt.Keys{Input: keys.Input, Edit: keys.Edit}, themes.Default(true).Styles(themes.Unicode()), prompt.Options{Label: "/"})
	return line
}

// page is a help page; closed reports whether the user has closed it.
type page struct {
	*help.Model
	closed bool
}

func (p *page) close() tea.Cmd {
	p.closed = true
	return nil
}

func newHelp(w, h int) *page {
	keys := keymap.Default()
	var sections []help.Section
	for _, c := range keymap.Contexts()[:3] {
		s := help.Section{Title: c.Title}
		for _, a := range keys.In(c.Name) {
			s.Entries = append(s.Entries, help.Entry{Keys: strings.Join(a.Keys(), " "), Desc: a.Description})
		}
		sections = append(sections, s)
	}
	m := &page{}
	m.Model = help.New(sections, []string{"Ctrl+B detaches from a job, which keeps running."}, newLine(), keys.Help, keys.Input,
		themes.Default(true).Styles(themes.Unicode()), m.close)
	m.SetSize(w, h)
	return m
}

func TestView(t *testing.T) {
	t.Run("narrow", func(t *testing.T) { golden.RequireEqual(t, ansi.Strip(newHelp(60, 16).View())) })
	t.Run("smallest", func(t *testing.T) { golden.RequireEqual(t, ansi.Strip(newHelp(20, 12).View())) })
	t.Run("wide", func(t *testing.T) { golden.RequireEqual(t, ansi.Strip(newHelp(120, 20).View())) })
	t.Run("filtered", func(t *testing.T) {
		m := newHelp(60, 12)
		for _, r := range "/copy" {
			m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
		golden.RequireEqual(t, ansi.Strip(m.View()))
	})
}

func TestClosesAndFilters(t *testing.T) {
	esc, enter := tea.KeyPressMsg{Code: tea.KeyEscape}, tea.KeyPressMsg{Code: tea.KeyEnter}
	letter := func(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Text: string(r)} }
	tests := map[string]struct {
		keys []tea.KeyPressMsg
		done bool
	}{
		"q":                           {[]tea.KeyPressMsg{letter('q')}, true},
		"Esc":                         {[]tea.KeyPressMsg{esc}, true},
		"q is text in the filter":     {[]tea.KeyPressMsg{letter('/'), letter('q')}, false},
		"Esc leaves the filter first": {[]tea.KeyPressMsg{letter('/'), letter('q'), esc}, false},
		"then it closes":              {[]tea.KeyPressMsg{letter('/'), letter('q'), esc, esc}, true},
		"Enter keeps the filter":      {[]tea.KeyPressMsg{letter('/'), letter('q'), enter, letter('j')}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := newHelp(60, 16)
			for _, k := range tt.keys {
				m.Update(k)
			}
			if m.closed != tt.done {
				t.Errorf("done is %v", m.closed)
			}
		})
	}
}

func TestEscapeClearsFilter(t *testing.T) {
	line := newLine()
	m := &page{}
	m.Model = help.New(nil, nil, line, keymap.Default().Help, keymap.Default().Input, themes.Default(true).Styles(themes.Unicode()), m.close)
	for _, press := range []tea.KeyPressMsg{{Code: '/', Text: "/"}, {Code: 'x', Text: "x"}} {
		m.Update(press)
	}
	if line.Value() != "x" {
		t.Fatalf("the filter is %q", line.Value())
	}
	if m.Update(tea.KeyPressMsg{Code: tea.KeyEscape}); line.Value() != "" || m.closed {
		t.Errorf("the filter is %q, closed: %v", line.Value(), m.closed)
	}
}

func TestSizes(t *testing.T) {
	for _, w := range []int{0, 1, 5, 30, 120} {
		for _, h := range []int{0, 1, 2, 5, 60} {
			m := newHelp(w, h)
			m.Update(tea.KeyPressMsg{Code: 'G', Text: "G"})
			view := m.View()
			if w == 0 || h == 0 {
				if view != "" {
					t.Errorf("%dx%d: %q", w, h, view)
				}
				continue
			}
			lines := strings.Split(view, "\n")
			if len(lines) != h {
				t.Errorf("%dx%d has %d lines", w, h, len(lines))
			}
			for _, line := range lines {
				if got := cells.Width(line); got != w {
					t.Errorf("%dx%d: a line is %d wide", w, h, got)
				}
			}
		}
	}
}

func TestNotesAreBelowTheKeys(t *testing.T) {
	for _, w := range []int{60, 120} {
		m := newHelp(w, 200)
		view := ansi.Strip(m.View())
		keys, note := strings.Index(view, keymap.Contexts()[2].Title), strings.Index(view, "Ctrl+B detaches")
		if keys < 0 || note < keys {
			t.Errorf("in %d columns the note is not below the keys:\n%s", w, view)
		}
	}
}
