package vt

// Resize changes the size. The main screen is reflowed: long lines are wrapped again,
// and rows move between the screen and the scrollback so that the bottom of the screen
// stays in place. The alternate screen is only cropped, because its application redraws
// it. Margins are reset.
func (t *Terminal) Resize(cols, rows int) {
	cols, rows = clamp(cols, 1, maxCols), clamp(rows, 1, maxRows)
	if cols == t.cols && rows == t.rows {
		return
	}
	main := &t.screens[0]
	if t.onAlt() {
		t.reflow(main, &main.saved, nil, cols, rows)
	} else {
		t.reflow(main, &t.cur, &main.saved, cols, rows)
	}
	if alt := &t.screens[1]; alt.rows != nil {
		c := &alt.saved
		if t.onAlt() {
			c = &t.cur
		}
		alt.rows = cropRows(alt.rows, cols, rows, max(0, c.y-rows+1))
		alt.dirty = span{0, rows}
		c.y -= max(0, c.y-rows+1)
	}
	t.cols, t.rows, t.spare, t.moved = cols, rows, nil, nil
	t.tabs = t.tabs[:min(len(t.tabs), cols)]
	t.resetTabs()
	t.modes.set(modeSynchronized, false)
	t.resetMargins()
	t.updatePlain()
	for _, c := range []*cursor{&t.cur, &t.screens[0].saved, &t.screens[1].saved} {
		c.x, c.y = clamp(c.x, 0, cols-1), clamp(c.y, 0, rows-1)
		c.pending = c.pending && c.x == cols-1
	}
	if t.modes.has(modeResizeReports) {
		t.reportSize()
		t.flushReplies()
	}
}

// cropRows copies rows to a new size, without the first skip rows.
func cropRows(old []*row, cols, rows, skip int) []*row {
	fresh := newRows(cols, rows)
	for y := range min(rows, len(old)-skip) {
		from := old[y+skip]
		n := copy(fresh[y].all(), from.all())
		fresh[y].size = from.size
		if n < from.cols && from.stored[n].isTail() {
			fresh[y].stored[n-1] = Cell{bg: from.stored[n-1].bg}
		}
	}
	return fresh
}

// line is a logical line during a reflow.
type line struct {
	cells []Cell
	size  lineSize // of its first row
}

// mark is the position of a cursor during a reflow: a cell of a logical line.
type mark struct {
	c            *cursor
	line, offset int
}

// reflow wraps the rows of the main screen to another width and adapts them to a
// height. It moves one or two cursors with the text.
func (t *Terminal) reflow(s *screen, cur, saved *cursor, cols, rows int) {
	marks := []mark{{c: cur}}
	if saved != nil {
		marks = append(marks, mark{c: saved})
	}
	used := usedRows(s.rows, cur.y)
	full := used == len(s.rows) // the text reaches the bottom
	lines := t.logicalLines(s.rows[:used], marks)

	fresh, at := t.wrapLines(lines, marks, cols)
	// Keep the bottom in place: move lines back from the scrollback.
	for full && len(fresh) < rows {
		cells, ok := t.history.popLine(t, nil)
		if !ok {
			break
		}
		more, _ := t.wrapLines([]line{{cells: cells}}, nil, cols)
		fresh = append(more, fresh...)
		for i := range at {
			at[i] += len(more)
		}
	}
	over := max(0, len(fresh)-rows)
	over = min(over, at[0]) // the cursor's row stays
	if len(fresh)-over > rows {
		fresh = fresh[:rows+over]
	}
	for _, r := range fresh[:over] {
		t.history.push(t, r)
	}
	fresh = fresh[over:]
	for i, m := range marks {
		m.c.y = max(0, at[i]-over)
	}
	if len(fresh) < rows {
		fresh = append(fresh, newRows(cols, rows-len(fresh))...)
	}
	s.rows, s.dirty = fresh, span{0, rows}
}

// usedRows counts the rows down to the last one with text or the cursor.
func usedRows(rows []*row, cursorY int) int {
	n := len(rows)
	for n > cursorY+1 && len(rows[n-1].trimmed()) == 0 {
		n--
	}
	return n
}

// logicalLines joins wrapped rows and finds the marks in them. It takes the beginning
// of the first line back from the scrollback.
func (t *Terminal) logicalLines(rows []*row, marks []mark) []line {
	var lines []line
	var cur []Cell
	var first lineSize
	if h := &t.history; h.open {
		spacer := h.spacer && !rows[0].at(0).isHead()
		if cur, _ = h.popLine(t, nil); spacer {
			cur = append(cur, Cell{})
		}
	}
	for y, r := range rows {
		if len(cur) == 0 {
			first = r.size
		}
		var next *row
		if y+1 < len(rows) {
			next = rows[y+1]
		}
		cells, wraps := r.text(next)
		if len(cells) == 0 && len(cur) > 0 {
			cells = r.all()[:1] // so that it remains a separate row
		}
		for i := range marks {
			if m := &marks[i]; m.c.y == y {
				m.line, m.offset = len(lines), len(cur)+m.c.x
				if m.c.pending {
					m.offset++
				}
			}
		}
		cur = append(cur, cells...)
		if !wraps || next == nil {
			lines = append(lines, line{cur, first})
			cur = nil
		}
	}
	for i := range marks {
		if m := &marks[i]; m.c.y >= len(rows) { // below the text
			m.line, m.offset = len(lines)+m.c.y-len(rows), m.c.x
		}
	}
	return lines
}

// wrapLines wraps logical lines to rows. It sets the column of the marks' cursors and
// returns the row of each.
func (t *Terminal) wrapLines(lines []line, marks []mark, cols int) (rows []*row, at []int) {
	at = make([]int, len(marks))
	for i, m := range marks {
		if m.line >= len(lines) {
			at[i] = m.line - len(lines) // completed below
		}
	}
	for li, l := range lines {
		offset := 0
		for {
			n := cut(l.cells[offset:], cols)
			r := &row{cols: cols, size: l.size}
			if n <= cols {
				copy(r.all(), l.cells[offset:offset+n])
			}
			more := offset+n < len(l.cells)
			r.wrap = more
			if more && n < cols {
				r.all()[n].attr |= edgeSpacer
			}
			for i := range marks {
				m := &marks[i]
				if m.line != li || m.offset < offset {
					continue
				}
				// A cursor beyond the text stays in the last row.
				if m.offset < offset+n || !more {
					m.placeAt(m.offset-offset, cols)
					at[i] = len(rows)
					m.line = -1
				}
			}
			rows = append(rows, r)
			offset += n
			if !more {
				break
			}
		}
	}
	for i, m := range marks {
		if m.line >= len(lines) {
			at[i] = len(rows) + m.line - len(lines)
		}
	}
	return rows, at
}

// placeAt sets the cursor's column. Right after a full row, the wrap is pending.
func (m *mark) placeAt(x, cols int) {
	m.c.pending = x == cols
	m.c.x = min(x, cols-1)
}
