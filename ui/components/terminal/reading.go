package terminal

import (
	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/ui/components/selection"
)

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
	case !m.sel.On:
		return nil, false
	case k.Mod == 0 && k.Code == tea.KeyEnter, k.Mod == tea.ModCtrl && k.Code == 'c':
		text := m.selectedText()
		m.sel = selected{}
		if text == "" {
			return nil, true
		}
		return func() tea.Msg { return CopyMsg{Text: text} }, true
	case k.Mod == 0 && k.Code == tea.KeyEscape:
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
	return point{Line: max(0, min(p.Line, m.vt.ScrollbackLen()+rows-1)), X: max(0, min(p.X, cols-1))}
}

// readingCursor returns the position where the selection ends, or where the next one starts.
func (m *Model) readingCursor() *tea.Cursor {
	x, y := m.reading.at.X-m.firstCol(), m.reading.at.Line-m.absLine(0)
	if x < 0 || y < 0 || x >= m.w || y >= m.h {
		return nil
	}
	cur := tea.NewCursor(x, y)
	cur.Blink = false
	return cur
}
