package logview

import tea "charm.land/bubbletea/v2"

func (m *Model) rowsOf(i int) int {
	e := &m.lines[i]
	rows := 1
	if m.wrap {
		if width := m.textWidth(); width > 0 {
			rows = max(1, (m.glyphsOf(e).width()+width-1)/width)
		}
	}
	if e.Dropped > 0 {
		rows++
	}
	return rows
}

// shift moves the view by delta rows within the lines in memory. The remaining
// rows are left in toScroll.
func (m *Model) shift(delta int) {
	for delta < 0 {
		if m.topRow > 0 {
			step := min(m.topRow, -delta)
			m.topRow -= step
			delta += step
			continue
		}
		if m.top == 0 {
			break
		}
		m.top--
		m.topRow = m.rowsOf(m.top)
	}
	for delta > 0 && !m.atBottom() {
		m.topRow++
		delta--
		if m.topRow >= m.rowsOf(m.top) {
			if m.top+1 == len(m.lines) {
				m.topRow--
				break
			}
			m.top, m.topRow = m.top+1, 0
		}
	}
	m.toScroll = delta
}

// atBottom reports whether the last line in memory is in view.
func (m *Model) atBottom() bool {
	rows := -m.topRow
	for i := m.top; i < len(m.lines); i++ {
		rows += m.rowsOf(i)
		if rows > m.h {
			return false
		}
	}
	return true
}

// toEnd puts the last line on the last row.
func (m *Model) toEnd() {
	rows := 0
	for i := len(m.lines) - 1; i >= 0; i-- {
		rows += m.rowsOf(i)
		if rows >= m.h {
			m.top, m.topRow = i, rows-m.h
			return
		}
	}
	m.top, m.topRow = 0, 0
}

// settle keeps the view within the log: no row is empty if there are lines above.
func (m *Model) settle() {
	m.top = max(0, min(m.top, len(m.lines)-1))
	if len(m.lines) == 0 {
		m.topRow = 0
		return
	}
	m.topRow = max(0, min(m.topRow, m.rowsOf(m.top)-1))
	if !m.tail {
		return
	}
	rows := -m.topRow
	for i := m.top; i < len(m.lines) && rows < m.h; i++ {
		rows += m.rowsOf(i)
	}
	if rows < m.h {
		m.toEnd()
	}
}

// visible returns the lines in view.
func (m *Model) visible() []entry {
	if len(m.lines) == 0 {
		return nil
	}
	return m.lines[m.top : m.bottom()+1]
}

// bottom returns the index of the last line in view.
func (m *Model) bottom() int {
	rows := -m.topRow
	for i := m.top; i < len(m.lines); i++ {
		rows += m.rowsOf(i)
		if rows >= m.h {
			return i
		}
	}
	return max(0, len(m.lines)-1)
}

// Scroll moves the view by rows, down if positive. Moving up stops following.
func (m *Model) Scroll(rows int) tea.Cmd {
	if rows == 0 || len(m.lines) == 0 {
		return nil
	}
	if rows < 0 {
		if m.head && m.top+m.topRow == 0 {
			return nil
		}
		m.unfollow()
		m.sel.followed = false // do not resume following after the selection
	}
	m.shift(m.toScroll + rows)
	if m.nearEdge() {
		return m.read(m.here())
	}
	m.toScroll = 0
	return nil
}

// nearEdge reports whether the lines in memory end soon in a direction in which the log has more.
func (m *Model) nearEdge() bool {
	if !m.head && m.top < m.h {
		return true
	}
	return !m.tail && len(m.lines)-1-m.bottom() < m.h
}

func (m *Model) toTop() tea.Cmd {
	m.unfollow()
	m.left, m.at = 0, 0
	return m.read(place{off: 0, where: atTop})
}

// pressSideways is sideways for a key: it shows a notice if lines are wrapped.
func (m *Model) pressSideways(columns int) tea.Cmd {
	if m.wrap {
		return notice("Lines are wrapped: " + m.keys.Wrap.Help().Key + " to unwrap")
	}
	m.sideways(columns)
	return nil
}

// sideways scrolls by columns. It does nothing while lines are wrapped.
func (m *Model) sideways(columns int) {
	if m.wrap {
		return
	}
	widest := 0
	visible := m.visible()
	for i := range visible {
		widest = max(widest, m.glyphsOf(&visible[i]).width())
	}
	m.left = max(0, min(m.left+columns, widest-m.textWidth()))
}

// noLine is the value of Model.at until a line is chosen.
const noLine = -1

// current returns the index of the line that keys act on: y copies it, v starts a selection
// there. A search, a jump or a click chooses it; until then it is the last line in view. It stays
// in view when the user scrolls.
func (m *Model) current() int {
	at := m.at
	if m.Selecting() {
		at = m.sel.To.Line
	}
	bottom := m.bottom()
	if at == noLine {
		return bottom
	}
	i := m.indexOf(at)
	if m.follow && i < m.top { // the line has scrolled out of view
		return bottom
	}
	return max(m.top, min(i, bottom))
}

// CurrentRows returns the rows of the current line in view: n rows starting at y. n is 0 if the
// view is empty or has no focus.
func (m *Model) CurrentRows() (y, n int) {
	if !m.focus || len(m.lines) == 0 {
		return 0, 0
	}
	at := m.current()
	y = -m.topRow
	for i := m.top; i < at; i++ {
		y += m.rowsOf(i)
	}
	end := min(y+m.rowsOf(at), m.h)
	y = max(0, y)
	return y, max(0, end-y)
}

// Cursor puts the terminal's cursor on the current line, so that screen readers and magnifiers
// follow it. It returns nil if there is no current line.
func (m *Model) Cursor() *tea.Cursor {
	y, n := m.CurrentRows()
	if n == 0 {
		return nil
	}
	return tea.NewCursor(0, y)
}
