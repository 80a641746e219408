package dialog

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
)

// Choice is one answer.
type Choice struct {
	Name   string // what it is called in code
	Label  string
	Note   string // a menu's second column
	Danger bool
	Yes    bool // the answer that the key for yes gives
}

// Model is a dialog. It belongs to one goroutine.
type Model struct {
	keys    keymap.Dialog
	styles  themes.Dialog
	glyphs  themes.Glyphs
	title   string
	lines   []string
	choices []Choice
	menu    bool
	at      int
	taken   string
	closed  bool
	w, h    int
}

// Ask returns a question: text, then the answers side by side. The first is the
// safe one and is marked.
func Ask(title string, text []string, choices []Choice, keys keymap.Dialog, styles themes.Dialog, glyphs themes.Glyphs) *Model {
	return &Model{title: title, lines: text, choices: choices, keys: keys, styles: styles, glyphs: glyphs}
}

// Menu returns a menu: one choice a line, marked at the first.
func Menu(title string, choices []Choice, keys keymap.Dialog, styles themes.Dialog, glyphs themes.Glyphs) *Model {
	return &Model{title: title, choices: choices, menu: true, keys: keys, styles: styles, glyphs: glyphs}
}

// SetStyles replaces styles and glyphs.
func (m *Model) SetStyles(s themes.Dialog, g themes.Glyphs) { m.styles, m.glyphs = s, g }

// SetSize sets the room that the box may take at most.
func (m *Model) SetSize(w, h int) { m.w, m.h = max(0, w), max(0, h) }

// Answer returns the choice that was taken; done is true once there will be no
// other. An empty name with done means that nothing is to change.
func (m *Model) Answer() (name string, done bool) { return m.taken, m.closed }

// Update moves between the answers and takes one.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok || m.closed {
		return nil
	}
	k := m.keys
	n := len(m.choices)
	switch {
	case keymap.Match(press, k.Dismiss), keymap.Match(press, k.No) && !m.menu:
		m.closed = true
	case keymap.Match(press, k.Yes) && !m.menu:
		for _, c := range m.choices {
			if c.Yes {
				m.taken, m.closed = c.Name, true
			}
		}
	case keymap.Match(press, k.Choose):
		m.take(m.at)
	case keymap.Match(press, k.NextChoice):
		m.at = (m.at + 1) % n
	case keymap.Match(press, k.PreviousChoice):
		m.at = (m.at + n - 1) % n
	}
	return nil
}

func (m *Model) take(i int) { m.taken, m.closed = m.choices[i].Name, true }

// Click takes the answer drawn at x, y of the box.
func (m *Model) Click(x, y int) {
	if m.menu {
		if i := m.top() + y - 1; y >= 1 && i < len(m.choices) && y <= m.rows() {
			m.take(i)
		}
		return
	}
	row := y - len(m.text()) - 2 // below the edge, the text and a blank line
	if m.stacked() {
		if row >= 0 && row < len(m.choices) {
			m.take(row)
		}
		return
	}
	left := 2
	for i, c := range m.choices {
		w := cells.Width(c.Label) + 2
		if row == 0 && x >= left && x < left+w {
			m.take(i)
			return
		}
		left += w + 2
	}
}

// View draws the box, as large as its words need.
func (m *Model) View() string {
	frame := cells.Frame{Border: m.glyphs.Border, Line: m.styles.Border, Title: m.styles.Title}
	return strings.Join(frame.Box(m.title, m.body(), m.width()), "\n")
}

// width is the width of the box.
func (m *Model) width() int {
	w := cells.Width(m.title) + 6
	answers := 0
	for _, c := range m.choices {
		if m.menu {
			w = max(w, m.labelWidth()+cells.Width(c.Note)+4)
			continue
		}
		answers += cells.Width(c.Label) + 4
	}
	for _, line := range m.lines {
		w = max(w, min(cells.Width(line), 60)+4)
	}
	return min(max(w, answers+4), m.w)
}

// labelWidth is the first column of a menu.
func (m *Model) labelWidth() int {
	w := 0
	for _, c := range m.choices {
		w = max(w, cells.Width(c.Label)+2)
	}
	return w
}

// stacked reports whether the answers stand one below the other because side
// by side they do not fit.
func (m *Model) stacked() bool {
	w := 0
	for _, c := range m.choices {
		w += cells.Width(c.Label) + 4
	}
	return w+2 > m.width()
}

func (m *Model) text() []string {
	room := max(1, m.width()-4)
	var lines []string
	for _, line := range m.lines {
		lines = append(lines, strings.Split(ansi.Wrap(line, room, ""), "\n")...)
	}
	return lines
}

// rows is how many choices of a menu fit.
func (m *Model) rows() int { return min(len(m.choices), max(1, m.h-2)) }

func (m *Model) top() int { return max(0, m.at-m.rows()+1) }

func (m *Model) body() []string {
	if m.menu {
		var lines []string
		room, label := m.width()-4, m.labelWidth()
		for i := m.top(); i < m.top()+m.rows(); i++ {
			c := m.choices[i]
			text := cells.Fit(c.Label, label) + c.Note
			style := m.styles.Choice
			if i == m.at {
				style = m.styles.ChoiceSelected
			}
			lines = append(lines, style.Render(cells.Fit(text, room)))
		}
		return lines
	}
	var lines []string
	for _, line := range m.text() {
		lines = append(lines, m.styles.Text.Render(line))
	}
	lines = append(lines, "")
	var answers []string
	for i, c := range m.choices {
		style := m.styles.Choice
		switch {
		case i == m.at:
			style = m.styles.ChoiceSelected
		case c.Danger:
			style = m.styles.Danger
		}
		answers = append(answers, style.Render(" "+c.Label+" "))
	}
	if m.stacked() {
		return append(lines, answers...)
	}
	return append(lines, strings.Join(answers, "  "))
}

// ShortHelp returns the keys to name first.
func (m *Model) ShortHelp() []key.Binding {
	if m.menu {
		return []key.Binding{m.keys.Choose, m.keys.NextChoice, m.keys.Dismiss}
	}
	return []key.Binding{m.keys.Choose, m.keys.NextChoice, m.keys.Yes, m.keys.Dismiss}
}

// FullHelp returns all keys.
func (m *Model) FullHelp() [][]key.Binding {
	k := m.keys
	return [][]key.Binding{{k.Choose, k.NextChoice, k.PreviousChoice, k.Yes, k.No, k.Dismiss}}
}
