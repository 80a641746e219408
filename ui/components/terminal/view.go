package terminal

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/vt"
)

// firstRow returns the row of the job's screen at the top of the view. If the screen is higher
// than the view, this is the part around the cursor, or its top if the cursor is hidden.
func (m *Model) firstRow() int {
	_, rows := m.vt.Size()
	c := m.vt.Cursor()
	if rows <= m.h || !c.Visible {
		return 0
	}
	return min(rows-m.h, max(0, c.Y-m.h+1))
}

// firstCol returns the column of the job's screen at the left of the view, chosen in the same
// way.
func (m *Model) firstCol() int {
	cols, _ := m.vt.Size()
	c := m.vt.Cursor()
	if cols <= m.w || !c.Visible {
		return 0
	}
	return min(cols-m.w, max(0, c.X-m.w+1))
}

// View draws the screen in exactly the size of the component. While the job is in a synchronized
// update, it draws the previous frame.
func (m *Model) View() string {
	if min(m.w, m.h) == 0 {
		return ""
	}
	if m.holds() {
		return m.held.frame
	}
	rows := make([]string, m.h)
	for y := range rows {
		rows[y] = m.drawRow(m.rowAt(y), y)
	}
	m.held = holding{
		since:     m.held.since,
		frame:     strings.Join(rows, "\n"),
		cursor:    m.vt.Cursor(),
		viewpoint: m.viewpoint,
	}
	if m.vt.Modes().Synchronized { // shown unfinished; hold again from now on
		m.held.since = m.clock()
	}
	return m.held.frame
}

// rowAt returns the cells on line y of the view.
func (m *Model) rowAt(y int) []vt.Cell {
	if m.back == 0 {
		return m.vt.Row(y + m.firstRow())
	}
	cells, _ := m.lineCells(m.absLine(y))
	return cells
}

// absLine returns the line of the scrollback and screen, counted together, that is on line y of
// the view.
func (m *Model) absLine(y int) int {
	return m.vt.ScrollbackLen() - m.back + m.firstRow() + y
}

// drawRow draws cells, up to the width of the view.
func (m *Model) drawRow(cells []vt.Cell, y int) string {
	var sel span
	col := m.firstCol()
	if m.sel.On {
		from, to := whole(cells, m.sel, m.absLine(y), m.w+col)
		sel = span{from - col, to - col}
	}
	cells = cells[min(col, len(cells)):]
	cells = cells[:min(m.w, len(cells))]
	var b []byte
	x := 0
	for x < len(cells) {
		start, selected := x, sel.contains(x)
		for x < len(cells) && sel.contains(x) == selected && cells[x].SameStyle(cells[start]) {
			x++
		}
		if isSecondHalf(cells, x) {
			x++
		}
		b = m.drawRun(b, cells[start:x], selected)
	}
	return string(m.drawBlank(b, x, sel))
}

// span is a range of columns or rows: from, and up to but not including to.
type span struct{ from, to int }

func (s span) contains(x int) bool { return x >= s.from && x < s.to }

func (m *Model) drawRun(b []byte, run []vt.Cell, selected bool) []byte {
	if selected {
		return append(b, m.styles.Selection.Render(string(appendRun(nil, run, m.drawnText)))...)
	}
	style := m.vt.Style(run[0])
	if m.vt.Modes().ReverseScreen {
		style.Attrs ^= vt.Reverse
	}
	link := m.vt.Link(run[0])
	if link != "" {
		b = append(b, "\x1b]8;;"...)
		b = append(b, link...)
		b = append(b, "\x1b\\"...)
	}
	if style == (vt.Style{}) {
		b = appendRun(b, run, m.drawnText)
	} else {
		b = style.AppendSGR(b)
		b = appendRun(b, run, m.drawnText)
		b = append(b, "\x1b[m"...)
	}
	if link != "" {
		b = append(b, "\x1b]8;;\x1b\\"...)
	}
	return b
}

// drawBlank fills the rest of a row, from column x on.
func (m *Model) drawBlank(b []byte, x int, sel span) []byte {
	for x < m.w {
		start, selected := x, sel.contains(x)
		for x < m.w && sel.contains(x) == selected {
			x++
		}
		blank := strings.Repeat(" ", x-start)
		if selected {
			blank = m.styles.Selection.Render(blank)
		}
		b = append(b, blank...)
	}
	return b
}

func (m *Model) runText(run []vt.Cell) string { return string(appendRun(nil, run, m.vt.CellText)) }

// drawnText returns the text that is drawn for a cell.
func (m *Model) drawnText(c vt.Cell) string {
	text := m.vt.CellText(c)
	if _, single := c.Rune(); single || m.byCluster {
		return text
	}
	if ansi.StringWidthWc(text) == c.Width() {
		return text
	}
	return cells.FitChar(text, c.Width())
}

// appendRun appends the text of cells. A wide character of which only one half fits becomes a
// blank.
func appendRun(b []byte, run []vt.Cell, text func(vt.Cell) string) []byte {
	if isSecondHalf(run, 0) {
		b = append(b, ' ')
		run = run[1:]
	}
	for i, c := range run {
		if c.Width() == 2 && i+1 == len(run) {
			b = append(b, ' ')
		} else {
			b = append(b, text(c)...)
		}
	}
	return b
}
