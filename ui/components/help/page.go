package help

import (
	"strings"

	"github.com/hobjobs/hob/internal/cells"
)

// Widths of the page, inside its border.
const (
	wideInner   = 112 // minimum width for the sections of Page.Wide
	wideOffset  = 57  // of the second column
	wideKeys    = 12  // column of keys
	wideIndent  = 2   // of entries under their title
	briefInner  = 74  // minimum width for two columns of Page.Brief
	briefOffset = 39
	briefKeys   = 9
	noteOffset  = 26 // of the note beside a title
	gapBetween  = 1  // minimum blank between two columns
)

// layPage returns the lines of the page: wide sections if they fit, else the brief ones in two columns
// or in one.
func (m *Model) layPage(inner int) []string {
	if inner >= wideInner {
		lines := columns(m.pageBlocks(m.page.Wide, wideOffset-gapBetween, wideIndent, wideKeys), wideOffset)
		if len(lines) <= m.list.Rows {
			return trimmed(lines)
		}
	}
	if inner >= briefInner {
		return trimmed(columns(m.pageBlocks(m.page.Brief, briefOffset-gapBetween, 0, briefKeys), briefOffset))
	}
	keys := min(briefKeys, keyWidth(inner))
	var lines []string
	for _, b := range m.pageBlocks(m.page.Brief, inner, 0, keys) {
		lines = append(lines, b...)
	}
	return trimmed(lines)
}

// pageBlocks returns the lines of sections in a column of width w, each section followed by a blank
// line.
func (m *Model) pageBlocks(sections []Section, w, indent, keys int) [][]string {
	var blocks [][]string
	for _, s := range sections {
		var b []string
		if s.Title != "" {
			b = append(b, m.title(s, w))
		}
		for _, e := range s.Entries {
			for _, line := range m.entry(e, w-indent, keys) {
				b = append(b, cells.Blank(indent)+line)
			}
		}
		blocks = append(blocks, append(b, ""))
	}
	return blocks
}

// title returns the title of a section with its note, if there is room.
func (m *Model) title(s Section, w int) string {
	title := m.styles.Strong.Render(s.Title)
	if s.Note == "" {
		return title
	}
	gap := max(1, noteOffset-cells.Width(s.Title))
	if cells.Width(s.Title)+gap+cells.Width(s.Note) > w {
		gap = 1
	}
	if cells.Width(s.Title)+gap+cells.Width(s.Note) > w {
		return title
	}
	return title + cells.Blank(gap) + m.styles.Muted.Render(s.Note)
}

// trimmed returns lines without the blank one at the end.
func trimmed(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
