package terminal

import (
	"strings"

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
	if from < to && from > 0 && from < len(cells) && cells[from].Width() == 0 {
		from--
	}
	if from < to && to < len(cells) && cells[to].Width() == 0 {
		to++
	}
	return from, to
}

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
	if n := len(cells); wrapped && n > 0 && cells[n-1].IsBlank() {
		cells = cells[:n-1]
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
	if line <= 0 || line >= n+rows || line == n && m.vt.Modes().Alternate {
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
