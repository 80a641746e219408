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
		for _, a := range keys.ByContext()[c.Name] {
			s.Entries = append(s.Entries, help.Entry{Keys: strings.Join(a.Keys(), " "), Desc: a.Description})
		}
		sections = append(sections, s)
	}
	m := &page{}
	first := help.Page{
		Wide:  append([]help.Section{{Title: "Leave a job", Entries: []help.Entry{{"Ctrl+B", "to the background; it keeps running"}}}}, pageOf(keymap.HelpPage("list"), "(list, detail and log)", "Space")...),
		Brief: append([]help.Section{{Entries: []help.Entry{{"Ctrl+B", "leave a job; it keeps running"}}}}, pageOf(keymap.BriefHelpPage("list"), "(also in its log)", "Spc")...),
		Rest:  "signals: / finds them",
	}
	m.Model = help.New(first, sections, newLine(), keys.Help, keys.Input, themes.Default(true).Styles(themes.Unicode()), m.close)
	m.SetSize(w, h)
	return m
}

// pageOf returns the sections of a page with the default keys.
func pageOf(page []keymap.HelpSection, places, space string) []help.Section {
	var all []help.Section
	for _, s := range page {
		section := help.Section{Title: s.Title}
		if s.Name == "job" {
			section.Note = places
		}
		for _, row := range s.Rows {
			keys, words := row.Text(keymap.Default(), keymap.Label)
			section.Entries = append(section.Entries, help.Entry{Keys: strings.Replace(keys, "Space", space, 1), Desc: words})
		}
		all = append(all, section)
	}
	return all
}

func TestView(t *testing.T) {
	t.Run("wide", func(t *testing.T) { golden.RequireEqual(t, ansi.Strip(newHelp(120, 38).View())) })
	t.Run("wide and low", func(t *testing.T) { golden.RequireEqual(t, ansi.Strip(newHelp(120, 20).View())) })
	t.Run("brief", func(t *testing.T) { golden.RequireEqual(t, ansi.Strip(newHelp(80, 22).View())) })
	t.Run("narrow", func(t *testing.T) { golden.RequireEqual(t, ansi.Strip(newHelp(60, 16).View())) })
	t.Run("smallest", func(t *testing.T) { golden.RequireEqual(t, ansi.Strip(newHelp(20, 12).View())) })
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
	m.Model = help.New(help.Page{}, nil, line, keymap.Default().Help, keymap.Default().Input, themes.Default(true).Styles(themes.Unicode()), m.close)
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

// The first page has how to leave a job at the top and fits a window of 80 columns without scrolling;
// searching finds keys that are not on it.
func TestFirstPage(t *testing.T) {
	m := newHelp(80, 22)
	view := ansi.Strip(m.View())
	if lines := strings.Split(view, "\n"); !strings.HasPrefix(lines[1], "│ Ctrl+B ") {
		t.Errorf("the first line is %q", lines[1])
	}
	for _, absent := range []string{"↓ more", "signal "} {
		if strings.Contains(view, absent) {
			t.Errorf("%q is on it:\n%s", absent, view)
		}
	}
	if !strings.Contains(view, "signals: / finds them") {
		t.Errorf("it does not say how to find the rest:\n%s", view)
	}
	for _, r := range "/signal" {
		m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	if view := ansi.Strip(m.View()); !strings.Contains(view, "send a signal") || strings.Contains(view, "Ctrl+B ") {
		t.Errorf("searching shows:\n%s", view)
	}
}
