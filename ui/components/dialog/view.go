package dialog

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/internal/cells"
)

// View draws the box, as large as its words need and its room allows. Where
// that is little, the answers stay and the text is cut.
func (m *Model) View() string {
	frame := cells.Frame{Border: m.glyphs.Border, Line: m.styles.Border, Title: m.styles.Title, Info: m.styles.Text, Mark: m.glyphs.Ellipsis}
	return strings.Join(frame.Box(m.title, m.body(), m.list().More(m.glyphs.More), m.width()), "\n")
}

// longestLine is the width at which text is wrapped.
const longestLine = 70

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
		w = max(w, min(cells.Width(line), longestLine)+4)
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

// rows is how many choices are seen, of those that stand one below the other.
func (m *Model) rows() int {
	room := max(1, m.h-2)
	switch {
	case m.menu:
		return min(len(m.choices), room)
	case m.stacked():
		return min(len(m.choices), max(1, room-1)) // a line of text says what is asked
	}
	return len(m.choices)
}

// text is what stands above the answers: the lines for which there is room, and
// a blank one if there is room for that too.
func (m *Model) text() []string {
	room := max(1, m.width()-4)
	var lines []string
	for _, line := range m.lines {
		lines = append(lines, strings.Split(ansi.Wrap(line, room, ""), "\n")...)
	}
	answers := 1
	if m.stacked() {
		answers = m.rows()
	}
	most := max(0, m.h-2-answers)
	if len(lines) > most {
		lines = lines[:most]
		if most > 0 {
			lines[most-1] = cells.End(cells.Fit(lines[most-1], room-1)+"  ", room, m.glyphs.Ellipsis)
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

// answer draws one answer to a question.
func (m *Model) answer(i int, marked bool) string {
	c, style := m.choices[i], m.styles.Choice
	switch {
	case marked:
		style = m.styles.ChoiceSelected
	case c.Danger:
		style = m.styles.Danger
	}
	return style.Render(" " + c.Label + " ")
}

// entry draws one line of a menu.
func (m *Model) entry(i int, marked bool) string {
	c, style, room := m.choices[i], m.styles.Choice, m.width()-4
	if marked {
		style = m.styles.ChoiceSelected
	}
	text := cells.End(cells.Fit(c.Label, m.labelWidth())+c.Note, room, m.glyphs.Ellipsis)
	return style.Render(cells.Fit(text, room))
}
