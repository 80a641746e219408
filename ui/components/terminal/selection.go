package terminal

import (
	"strings"

	"github.com/hobjobs/hob/internal/vt"
)

// point is a place in scrollback and screen together.
type point struct{ line, x int }

func (p point) before(q point) bool { return p.line < q.line || p.line == q.line && p.x < q.x }

// selection is a stretch of text marked with the mouse. The zero value is none.
type selection struct {
	from, to point // as dragged: to may be before from
	on       bool  // something is selected or being selected
	pressed  bool  // the button is held
	done     bool  // the button was released
}

func (s selection) ordered() (point, point) {
	if s.to.before(s.from) {
		return s.to, s.from
	}
	return s.from, s.to
}

// span is the selected part [from, to) of a line.
func (s selection) span(line, width int) (from, to int) {
	if !s.on {
		return 0, 0
	}
	a, b := s.ordered()
	if line < a.line || line > b.line {
		return 0, 0
	}
	to = width
	if line == a.line {
		from = a.x
	}
	if line == b.line {
		to = b.x + 1
	}
	return from, to
}

// shift follows the text when n lines before it are gone.
func (s *selection) shift(n int) {
	s.from.line -= n
	s.to.line -= n
	if a, b := s.ordered(); b.line < 0 {
		*s = selection{}
	} else if a.line < 0 {
		first := &s.from
		if s.to.before(s.from) {
			first = &s.to
		}
		*first = point{}
	}
}

// whole is the span of a selection in the cells of a line, without cutting a wide
// character.
func whole(cells []vt.Cell, s selection, line, width int) (from, to int) {
	from, to = s.span(line, width)
	if from < to && from > 0 && from < len(cells) && cells[from].Width() == 0 {
		from--
	}
	if from < to && to < len(cells) && cells[to].Width() == 0 {
		to++
	}
	return from, to
}

// lineCells returns a line of scrollback and screen together; valid until the
// next call.
func (m *Model) lineCells(line int) (cells []vt.Cell, wrapped bool) {
	if n := m.vt.ScrollbackLen(); line >= n {
		return m.vt.Row(line - n), m.vt.Wrapped(line - n)
	}
	m.scratch, wrapped = m.vt.ScrollbackRow(line, m.scratch[:0])
	return m.scratch, wrapped
}

// lineText is lineCells without the blank that a wide character left at the edge
// when it went to the next row.
func (m *Model) lineText(line int) (cells []vt.Cell, wrapped bool) {
	cells, wrapped = m.lineCells(line)
	if n := len(cells); wrapped && n > 0 && cells[n-1].IsBlank() {
		cells = cells[:n-1]
	}
	return cells, wrapped
}

// selectedText is the marked text: wrapped rows are one line, blanks at the end
// of a line are not there.
func (m *Model) selectedText() string {
	if !m.sel.on {
		return ""
	}
	a, b := m.sel.ordered()
	cols, _ := m.vt.Size()
	var out strings.Builder
	for line := a.line; line <= b.line; line++ {
		cells, wrapped := m.lineText(line)
		from, to := whole(cells, m.sel, line, cols)
		from, to = min(from, len(cells)), min(to, len(cells))
		text := m.runText(cells[from:to])
		if wrapped && line < b.line {
			out.WriteString(text)
			continue
		}
		out.WriteString(strings.TrimRight(text, " "))
		if line < b.line {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// selectWord selects the word under p, selectLine its whole line, over as many
// rows as they wrap to.
func (m *Model) selectWord(p point) {
	cells, _ := m.lineText(p.line)
	if p.x >= len(cells) {
		return
	}
	class := m.wordClass(cells[p.x])
	from, to := p, p
	for {
		for from.x > 0 && m.wordClass(cells[from.x-1]) == class {
			from.x--
		}
		if from.x > 0 || !m.wrapsInto(from.line) {
			break
		}
		cells, _ = m.lineText(from.line - 1)
		if n := len(cells); n == 0 || m.wordClass(cells[n-1]) != class {
			break
		}
		from = point{from.line - 1, len(cells) - 1}
	}
	for cells, _ = m.lineText(to.line); ; {
		for to.x+1 < len(cells) && m.wordClass(cells[to.x+1]) == class {
			to.x++
		}
		if to.x+1 < len(cells) || !m.wrapsInto(to.line+1) {
			break
		}
		cells, _ = m.lineText(to.line + 1)
		if len(cells) == 0 || m.wordClass(cells[0]) != class {
			break
		}
		to = point{to.line + 1, 0}
	}
	m.sel = selection{from: from, to: to, on: true, done: true}
}

func (m *Model) selectLine(p point) {
	cols, _ := m.vt.Size()
	from, to := p.line, p.line
	for m.wrapsInto(from) {
		from--
	}
	for m.wrapsInto(to + 1) {
		to++
	}
	m.sel = selection{from: point{from, 0}, to: point{to, cols - 1}, on: true, done: true}
}

// wrapsInto reports whether a line of scrollback and screen together goes on with
// the text of the one before it. The alternate screen goes on with nothing.
func (m *Model) wrapsInto(line int) bool {
	n := m.vt.ScrollbackLen()
	_, rows := m.vt.Size()
	if line <= 0 || line >= n+rows || line == n && m.vt.Modes().Alternate {
		return false
	}
	_, wrapped := m.lineCells(line - 1)
	return wrapped
}

// wordClass tells words from blanks from the rest. Paths, URLs and flags are
// words.
func (m *Model) wordClass(c vt.Cell) int {
	text := m.vt.CellText(c)
	switch {
	case text == "":
		return 1 // second half of a wide character
	case text == " ":
		return 0
	case strings.ContainsAny(text, "\"'`()[]{}<>|;,│"):
		return 2
	}
	return 1
}
