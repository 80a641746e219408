package joblist

import (
	"strconv"
	"strings"

	"github.com/hobjobs/hob/internal/cells"
)

// View draws the list in exactly its size.
func (m *Model) View() string {
	m.settle()
	var lines []string
	if len(m.shown) == 0 {
		lines = m.empty()
	} else {
		if m.HeaderRows() > 0 {
			lines = append(lines, m.header())
		}
		c := m.columns()
		for _, i := range m.lines() {
			line := ""
			if i >= 0 {
				line = m.row(m.shown[i], c, i == m.box.At)
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(cells.Block(lines, m.w, m.h), "\n")
}

func (m *Model) empty() []string {
	text, code := m.styles.Muted.Render, m.styles.Key.Render
	room := max(1, m.w-4)
	var lines []string
	add := func(words string) {
		for _, line := range cells.Wrap(words, room) {
			lines = append(lines, text(line))
		}
	}
	if len(m.rows) > 0 {
		add("No jobs match " + strconv.Quote(m.filter.text) + ". Esc to clear.")
		if len(m.filter.fields) == 0 && m.h >= len(lines)+3 { // "failed" looks like a filter, too
			lines = append(lines, "")
			add("To filter by status, type status:failed.")
		}
		return m.place(lines)
	}
	command := code(m.command)
	starts := text("Press ") + code(m.start) + text(" to start one")
	long := text("No jobs yet. ") + starts + text(", or run: ") + command
	switch {
	case m.command == "" && m.start == "":
		lines = append(lines, text("No jobs yet."))
	case m.command == "":
		lines = append(lines, text("No jobs yet. ")+starts+text("."))
	case m.start == "":
		lines = append(lines, text("No jobs yet."), command)
	case cells.Width(long) <= room:
		lines = append(lines, long)
	case m.h < 5:
		lines = append(lines, text("No jobs yet."), starts+text("."))
	default:
		lines = append(lines, text("No jobs yet."), "", starts+text(", or run:"), command)
	}
	short := lines
	if len(m.hints) > 0 {
		lines = append(lines, "")
	}
	for _, hint := range m.hints {
		add(hint)
	}
	if len(lines) > m.h { // rather the short form than half a sentence
		lines = short
	}
	return m.place(lines)
}

// The minimum size for centered text; in a smaller list it is in the upper left corner.
const spaciousWidth, spaciousHeight = 60, 12

// place centers lines if there is room.
func (m *Model) place(lines []string) []string {
	left, top := min(2, max(0, m.w-12)), 1
	if m.w >= spaciousWidth && m.h >= spaciousHeight {
		widest := 0
		for _, line := range lines {
			widest = max(widest, cells.Width(line))
		}
		left, top = (m.w-widest)/2, (m.h-len(lines))/3
	}
	if len(lines)+top > m.h {
		top = 0
	}
	placed := make([]string, top, top+len(lines))
	for _, line := range lines {
		placed = append(placed, cells.Blank(left)+line)
	}
	return placed
}
