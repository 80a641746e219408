// Package dialog asks a question with a few answers, the safe one first, or shows a short menu.
//
// A dialog only returns the answer; its owner acts on it.
package dialog

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/keymap"
	"github.com/hobjobs/hob/themes"
	"github.com/hobjobs/hob/ui/components/border"
	"github.com/hobjobs/hob/ui/components/listbox"
)

// Choice is one answer.
type Choice struct {
	Name   string // identifies it in code
	Label  string
	Note   string // second column of a menu
	Danger bool
	Yes    bool // selected by the key for yes
}

// Model is a dialog. It belongs to one goroutine.
type Model struct {
	keys    keymap.Dialog
	styles  *themes.Styles
	glyphs  *themes.Glyphs
	title   string
	lines   []string
	choices []Choice
	menu    bool
	at      int // index of the marked choice
	chosen  func(name string) tea.Cmd
	w, h    int
}

// Ask returns a question: the text, then the answers side by side. The first answer should be the
// safe one; it is marked. chosen gets the name of the answer, or "" if the dialog is canceled.
func Ask(title string, text []string, choices []Choice, keys keymap.Dialog, styles *themes.Styles, chosen func(name string) tea.Cmd) *Model {
	return &Model{
		title:   title,
		lines:   text,
		choices: choices,
		chosen:  chosen,
		keys:    keys,
		styles:  styles,
		glyphs:  &styles.Glyphs,
	}
}

// Menu returns a menu with one choice per line, the first one marked.
func Menu(title string, choices []Choice, keys keymap.Dialog, styles *themes.Styles, chosen func(name string) tea.Cmd) *Model {
	return &Model{
		title:   title,
		choices: choices,
		chosen:  chosen,
		menu:    true,
		keys:    keys,
		styles:  styles,
		glyphs:  &styles.Glyphs,
	}
}

// SetSize sets the maximum size of the box.
func (m *Model) SetSize(w, h int) { m.w, m.h = max(0, w), max(0, h) }

// Update moves the mark and selects a choice.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	k := m.keys
	list := m.list()
	switch {
	case keymap.Match(press, k.Dismiss), keymap.Match(press, k.No) && !m.menu:
		return m.chosen("")
	case keymap.Match(press, k.Yes) && !m.menu:
		for _, c := range m.choices {
			if c.Yes {
				return m.chosen(c.Name)
			}
		}
	case keymap.Match(press, k.Choose):
		return m.chosen(m.choices[m.at].Name)
	case keymap.Match(press, k.NextChoice):
		list.Cycle(1)
	case keymap.Match(press, k.PreviousChoice):
		list.Cycle(-1)
	}
	m.at = list.At
	return nil
}

// list returns the window over choices below each other. It begins with the first choice unless
// the marked one would be out of view.
func (m *Model) list() *listbox.List {
	return &listbox.List{Len: len(m.choices), Rows: m.rows(), At: m.at}
}

// Click selects the choice at x, y of the box.
func (m *Model) Click(x, y int) tea.Cmd {
	row := y - 1 - len(m.text()) // minus the upper edge
	if m.menu || m.stacked() {
		if i, ok := m.list().Hit(row); ok {
			return m.chosen(m.choices[i].Name)
		}
		return nil
	}
	left := 2
	for _, c := range m.choices {
		w := cells.Width(c.Label) + 2
		if row == 0 && x >= left && x < left+w {
			return m.chosen(c.Name)
		}
		left += w + 2
	}
	return nil
}

// Scroll does nothing: the marked choice is always visible.
func (m *Model) Scroll(int) {}

// Cursor returns nil: a dialog has no text input.
func (m *Model) Cursor() *tea.Cursor { return nil }

// ShortHelp returns the most important keys.
func (m *Model) ShortHelp() []key.Binding {
	if m.menu {
		return []key.Binding{m.keys.Choose, m.keys.NextChoice, m.keys.Dismiss}
	}
	yes := m.keys.Yes
	yes.SetEnabled(yes.Enabled() && slices.ContainsFunc(m.choices, func(c Choice) bool { return c.Yes }))
	return []key.Binding{m.keys.Choose, m.keys.NextChoice, yes, m.keys.Dismiss}
}

// View draws the box, as large as its text needs and its maximum size allows. If there is too
// little room, the text is cut rather than the answers, and the middle of the title rather than its
// end, where the name of the job is.
func (m *Model) View() string {
	frame := border.Frame{
		Border: m.glyphs.Border,
		Line:   m.styles.BorderFocused,
		Title:  m.styles.TitleFocused,
		Info:   m.styles.Text,
		Mark:   m.glyphs.Ellipsis,
	}
	title := cells.TruncateMiddle(m.title, max(0, m.width()-4), m.glyphs.Ellipsis)
	return strings.Join(frame.Box(title, m.body(), m.list().More(m.glyphs.More), m.width()), "\n")
}

// longestLine is the width to which text is wrapped.
const longestLine = 70

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
		w = max(w, min(cells.Width(line), longestLine)+4)
	}
	return min(max(w, answers+4), m.w)
}

// labelWidth returns the width of the first column of a menu.
func (m *Model) labelWidth() int {
	w := 0
	for _, c := range m.choices {
		w = max(w, cells.Width(c.Label)+2)
	}
	return w
}

// stacked reports whether the answers are below each other, because they do not fit side by side.
func (m *Model) stacked() bool {
	w := 0
	for _, c := range m.choices {
		w += cells.Width(c.Label) + 4
	}
	return w+2 > m.width()
}

// rows returns the number of visible choices if they are below each other.
func (m *Model) rows() int {
	room := max(1, m.h-2)
	switch {
	case m.menu:
		return min(len(m.choices), room)
	case m.stacked():
		return min(len(m.choices), max(1, room-1)) // leave one line for the question
	}
	return len(m.choices)
}

// text returns the lines above the answers: as many as fit, and a blank line if that fits too.
func (m *Model) text() []string {
	room := max(1, m.width()-4)
	var lines []string
	for _, line := range m.lines {
		lines = append(lines, cells.Wrap(line, room)...)
	}
	answers := 1
	if m.stacked() {
		answers = m.rows()
	}
	most := max(0, m.h-2-answers)
	if len(lines) > most {
		lines = lines[:most]
		if most > 0 {
			lines[most-1] = cells.Truncate(cells.Fit(lines[most-1], room-1)+"  ", room, m.glyphs.Ellipsis)
		}
	}
	if len(lines) > 0 && len(lines) < most {
		lines = append(lines, "")
	}
	return lines
}

func (m *Model) body() []string {
	if m.menu {
		return m.list().Draw(m.entry)
	}
	var lines []string
	for _, line := range m.text() {
		lines = append(lines, m.styles.Text.Render(line))
	}
	if m.stacked() {
		return append(lines, m.list().Draw(m.answer)...)
	}
	var answers []string
	for i := range m.choices {
		answers = append(answers, m.answer(i, i == m.at))
	}
	return append(lines, strings.Join(answers, "  "))
}

func (m *Model) answer(i int, marked bool) string {
	c, style := m.choices[i], m.styles.Text
	switch {
	case marked:
		style = m.styles.Selection
	case c.Danger:
		style = m.styles.Failed
	}
	return style.Render(" " + c.Label + " ")
}

func (m *Model) entry(i int, marked bool) string {
	c, style, room := m.choices[i], m.styles.Text, m.width()-4
	if marked {
		style = m.styles.Selection
	}
	text := cells.Truncate(cells.Fit(c.Label, m.labelWidth())+c.Note, room, m.glyphs.Ellipsis)
	return style.Render(cells.Fit(text, room))
}
