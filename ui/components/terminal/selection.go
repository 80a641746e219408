package terminal

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/internal/vt"
	"github.com/hobjobs/hob/ui/components/selection"
)

// point is a position in the scrollback and the screen, counted together.
type point = selection.Point[int]

// selected is a range of selected text. The zero value is no selection.
type selected struct {
	selection.Range[int]
	done bool // the mouse button was released
}

// shift adjusts the selection after the first n lines were discarded.
func (s *selected) shift(n int) {
	s.From.Line -= n
	s.To.Line -= n
	if a, b := s.Ordered(); b.Line < 0 {
		*s = selected{}
	} else if a.Line < 0 {
		first := &s.From
		if s.To.Before(s.From) {
			first = &s.To
		}
		*first = point{}
	}
}

// whole returns the selected span of a line, extended so that it does not cut a wide character.
func whole(cells []vt.Cell, s selected, line, width int) (from, to int) {
	from, to = s.Span(line, width)
	if from >= to {
		return from, to
	}
	if from > 0 && isSecondHalf(cells, from) {
		from--
	}
	if isSecondHalf(cells, to) {
		to++
	}
	return from, to
}

// isSecondHalf reports whether cell i is the second half of a wide character.
func isSecondHalf(cells []vt.Cell, i int) bool { return i < len(cells) && cells[i].Width() == 0 }

// lineCells returns a line of the scrollback and screen, counted together. The result is valid
// until the next call.
func (m *Model) lineCells(line int) (cells []vt.Cell, wrapped bool) {
	if n := m.vt.ScrollbackLen(); line >= n {
		return m.vt.Row(line - n), m.vt.Wrapped(line - n)
	}
	m.scratch, wrapped = m.vt.ScrollbackRow(line, m.scratch[:0])
	return m.scratch, wrapped
}

// lineText is lineCells without the blank at the edge when a wide character moved to the next
// row.
func (m *Model) lineText(line int) (cells []vt.Cell, wrapped bool) {
	cells, wrapped = m.lineCells(line)
	last := len(cells) - 1
	if !wrapped || last < 0 {
		return cells, wrapped
	}
	if cells[last].IsBlank() {
		cells = cells[:last]
	}
	return cells, wrapped
}

// selectedText returns the selected text: wrapped rows are joined, trailing blanks removed.
func (m *Model) selectedText() string {
	if !m.sel.On {
		return ""
	}
	a, b := m.sel.Ordered()
	cols, _ := m.vt.Size()
	var out strings.Builder
	for line := a.Line; line <= b.Line; line++ {
		cells, wrapped := m.lineText(line)
		from, to := whole(cells, m.sel, line, cols)
		from, to = min(from, len(cells)), min(to, len(cells))
		text := m.runText(cells[from:to])
		if wrapped && line < b.Line {
			out.WriteString(text)
			continue
		}
		out.WriteString(strings.TrimRight(text, " "))
		if line < b.Line {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// selectWord selects the word under p, selectLine its whole line, across wrapped rows.
func (m *Model) selectWord(p point) {
	cells, _ := m.lineText(p.Line)
	if p.X >= len(cells) {
		return
	}
	class := m.wordClass(cells[p.X])
	from, to := p, p
	for {
		for from.X > 0 && m.wordClass(cells[from.X-1]) == class {
			from.X--
		}
		if from.X > 0 || !m.wrapsInto(from.Line) {
			break
		}
		cells, _ = m.lineText(from.Line - 1)
		if n := len(cells); n == 0 || m.wordClass(cells[n-1]) != class {
			break
		}
		from = point{Line: from.Line - 1, X: len(cells) - 1}
	}
	for cells, _ = m.lineText(to.Line); ; {
		for to.X+1 < len(cells) && m.wordClass(cells[to.X+1]) == class {
			to.X++
		}
		if to.X+1 < len(cells) || !m.wrapsInto(to.Line+1) {
			break
		}
		cells, _ = m.lineText(to.Line + 1)
		if len(cells) == 0 || m.wordClass(cells[0]) != class {
			break
		}
		to = point{Line: to.Line + 1, X: 0}
	}
	m.sel = selected{selection.Range[int]{From: from, To: to, On: true}, true}
}

func (m *Model) selectLine(p point) {
	cols, _ := m.vt.Size()
	from, to := p.Line, p.Line
	for m.wrapsInto(from) {
		from--
	}
	for m.wrapsInto(to + 1) {
		to++
	}
	m.sel = selected{selection.Range[int]{From: point{Line: from, X: 0}, To: point{Line: to, X: cols - 1}, On: true}, true}
}

// wrapsInto reports whether a line continues the line before it. The first row of the alternate
// screen does not continue the scrollback.
func (m *Model) wrapsInto(line int) bool {
	n := m.vt.ScrollbackLen()
	_, rows := m.vt.Size()
	switch {
	case line <= 0, line >= n+rows:
		return false
	case line == n && m.vt.Modes().Alternate:
		return false
	}
	_, wrapped := m.lineCells(line - 1)
	return wrapped
}

// wordClass is the class of a cell; the second half of a wide character belongs to a word.
func (m *Model) wordClass(c vt.Cell) int {
	if text := m.vt.CellText(c); text != "" {
		return selection.WordClass(text)
	}
	return selection.WordClass("x")
}

// reading is the state of scrolling back and selecting text with keys. Shift+PgUp starts it, and
// typing into the job ends it. Shift with the arrow keys, Home or End selects text from the
// cursor on; Enter and Ctrl+C copy it, Esc clears the selection. The zero value is not reading.
type reading struct {
	on bool
	at point // the moving end of the selection, shown as the cursor
}

// readKey handles keys for scrolling back, and reports whether k is one.
func (m *Model) readKey(k tea.Key) (tea.Cmd, bool) {
	page := max(1, m.h-1)
	switch k.Keystroke() {
	case "shift+pgup": // as terminals have it
		m.readPage(-page)
		return nil, true
	case "shift+pgdown":
		m.readPage(page)
		return nil, true
	}
	switch {
	case !m.reading.on:
		return nil, false
	case k.Mod == tea.ModShift:
		return nil, m.extend(k.Code)
	case !m.sel.On:
		return nil, false
	}
	switch k.Keystroke() {
	case "enter", "ctrl+c":
		text := m.selectedText()
		m.sel = selected{}
		if text == "" {
			return nil, true
		}
		return func() tea.Msg { return selection.CopyMsg{Text: text} }, true
	case "esc":
		m.sel = selected{}
		return nil, true
	}
	return nil, false
}

// readPage scrolls back by rows, or forward if negative, and extends a selection. The first time,
// the selection starts at the cursor.
func (m *Model) readPage(rows int) {
	if !m.reading.on {
		c := m.vt.Cursor()
		m.reading = reading{true, point{Line: m.vt.ScrollbackLen() + c.Y, X: c.X}}
		m.sel = selected{}
	}
	if m.sel.On {
		m.moveMark(point{Line: m.reading.at.Line + rows, X: m.reading.at.X})
		return
	}
	before := m.back
	m.scrollBack(-rows)
	m.reading.at = m.clampPoint(point{Line: m.reading.at.Line + before - m.back, X: m.reading.at.X})
}

// extend moves the end of the selection by a key.
func (m *Model) extend(code rune) bool {
	cols, _ := m.vt.Size()
	to := m.reading.at
	switch code {
	case tea.KeyUp:
		to.Line--
	case tea.KeyDown:
		to.Line++
	case tea.KeyLeft:
		to.X--
	case tea.KeyRight:
		to.X++
	case tea.KeyHome:
		to.X = 0
	case tea.KeyEnd:
		to.X = cols - 1
	default:
		return false
	}
	switch {
	case to.X < 0:
		to = point{Line: to.Line - 1, X: cols - 1}
	case to.X >= cols:
		to = point{Line: to.Line + 1, X: 0}
	}
	m.moveMark(to)
	return true
}

// moveMark extends the selection, or starts one, and scrolls to its end.
func (m *Model) moveMark(to point) {
	if !m.sel.On {
		m.sel = selected{Range: selection.Range[int]{From: m.reading.at, On: true}}
	}
	to = m.clampPoint(to)
	m.reading.at, m.sel.To = to, to
	if top := m.absLine(0); to.Line < top {
		m.scrollBack(top - to.Line)
	} else if bottom := m.absLine(m.h - 1); to.Line > bottom {
		m.scrollBack(bottom - to.Line)
	}
}

// clampPoint returns the point of the screen or the scrollback nearest to p.
func (m *Model) clampPoint(p point) point {
	cols, rows := m.vt.Size()
	return point{Line: clamp(p.Line, m.vt.ScrollbackLen()+rows), X: clamp(p.X, cols)}
}
