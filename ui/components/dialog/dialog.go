// Package dialog asks one question with a few answers, the safe one first, or
// shows a short menu.
//
// A dialog never does the deed: the answer that was taken is read by who asked.
package dialog

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/listbox"
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
	at      int // the marked choice
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
	list := m.list()
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
		list.Cycle(1)
	case keymap.Match(press, k.PreviousChoice):
		list.Cycle(-1)
	}
	m.at = list.At
	return nil
}

// list is the window over the choices that stand one below the other. It begins
// with the first of them unless the marked one would not be seen.
func (m *Model) list() *listbox.List {
	return &listbox.List{Len: len(m.choices), Rows: m.rows(), At: m.at}
}

func (m *Model) take(i int) { m.taken, m.closed = m.choices[i].Name, true }

// Click takes the answer drawn at x, y of the box.
func (m *Model) Click(x, y int) {
	row := y - 1 - len(m.text()) // below the edge
	if m.menu || m.stacked() {
		if i, ok := m.list().Hit(row); ok {
			m.take(i)
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

// Scroll does nothing: the marked choice is always seen.
func (m *Model) Scroll(int) {}

// Cursor is nil: nothing is typed.
func (m *Model) Cursor() *tea.Cursor { return nil }

// ShortHelp returns the keys to name first.
func (m *Model) ShortHelp() []key.Binding {
	if m.menu {
		return []key.Binding{m.keys.Choose, m.keys.NextChoice, m.keys.Dismiss}
	}
	yes := m.keys.Yes
	yes.SetEnabled(yes.Enabled() && slices.ContainsFunc(m.choices, func(c Choice) bool { return c.Yes }))
	return []key.Binding{m.keys.Choose, m.keys.NextChoice, yes, m.keys.Dismiss}
}
