package terminal

import tea "charm.land/bubbletea/v2"

// reading is the person reading back, and marking text by keys: Shift+PgUp
// begins it, what is typed for the job ends it. Shift and the arrows, Home and
// End mark text from where the cursor is, Enter and Ctrl+C copy it, Esc unmarks
// it. The zero value is not reading.
type reading struct {
	on bool
	at point // the end of the mark that moves, drawn as the cursor
}

// readKey takes a key that is for reading back, and reports whether it was one.
func (m *Model) readKey(k tea.Key) (tea.Cmd, bool) {
	page := max(1, m.h-1)
	switch {
	case k.Mod == tea.ModShift && k.Code == tea.KeyPgUp: // as terminals have it
		m.readPage(-page)
		return nil, true
	case k.Mod == tea.ModShift && k.Code == tea.KeyPgDown:
		m.readPage(page)
		return nil, true
	case !m.reading.on:
		return nil, false
	case k.Mod == tea.ModShift:
		return nil, m.extend(k.Code)
	case !m.sel.on:
		return nil, false
	case k.Mod == 0 && k.Code == tea.KeyEnter, k.Mod == tea.ModCtrl && k.Code == 'c':
		text := m.selectedText()
		m.sel = selection{}
		if text == "" {
			return nil, true
		}
		return func() tea.Msg { return CopyMsg{Text: text} }, true
	case k.Mod == 0 && k.Code == tea.KeyEscape:
		m.sel = selection{}
		return nil, true
	}
	return nil, false
}

// readPage goes back, or forward, by rows; the mark too if there is one. The
// first time it begins at the cursor.
func (m *Model) readPage(rows int) {
	if !m.reading.on {
		c := m.vt.Cursor()
		m.reading = reading{true, point{m.vt.ScrollbackLen() + c.Y, c.X}}
		m.sel = selection{}
	}
	if m.sel.on {
		m.moveMark(point{m.reading.at.line + rows, m.reading.at.x})
		return
	}
	before := m.back
	m.ScrollBack(-rows)
	m.reading.at = m.clampPoint(point{m.reading.at.line + before - m.back, m.reading.at.x})
}

// extend moves the end of the mark by a key.
func (m *Model) extend(code rune) bool {
	cols, _ := m.vt.Size()
	to := m.reading.at
	switch code {
	case tea.KeyUp:
		to.line--
	case tea.KeyDown:
		to.line++
	case tea.KeyLeft:
		to.x--
	case tea.KeyRight:
		to.x++
	case tea.KeyHome:
		to.x = 0
	case tea.KeyEnd:
		to.x = cols - 1
	default:
		return false
	}
	switch {
	case to.x < 0:
		to = point{to.line - 1, cols - 1}
	case to.x >= cols:
		to = point{to.line + 1, 0}
	}
	m.moveMark(to)
	return true
}

// moveMark extends the mark, or begins one, and shows its end.
func (m *Model) moveMark(to point) {
	if !m.sel.on {
		m.sel = selection{from: m.reading.at, on: true}
	}
	to = m.clampPoint(to)
	m.reading.at, m.sel.to = to, to
	if top := m.absLine(0); to.line < top {
		m.ScrollBack(top - to.line)
	} else if bottom := m.absLine(m.h - 1); to.line > bottom {
		m.ScrollBack(bottom - to.line)
	}
}

// clampPoint is the place on the screen or in the scrollback next to p.
func (m *Model) clampPoint(p point) point {
	cols, rows := m.vt.Size()
	return point{max(0, min(p.line, m.vt.ScrollbackLen()+rows-1)), max(0, min(p.x, cols-1))}
}

// readingCursor is where the next mark begins or this one ends.
func (m *Model) readingCursor() *tea.Cursor {
	x, y := m.reading.at.x-m.firstCol(), m.reading.at.line-m.absLine(0)
	if x < 0 || y < 0 || x >= m.w || y >= m.h {
		return nil
	}
	cur := tea.NewCursor(x, y)
	cur.Blink = false
	return cur
}
