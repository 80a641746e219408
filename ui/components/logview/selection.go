package logview

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// maxCopy bounds what is copied; terminals refuse more.
const maxCopy = 1 << 20

// pos is a character of the log.
type pos struct {
	line  int64 // offset of its line
	glyph int
}

func (p pos) before(q pos) bool { return p.line < q.line || p.line == q.line && p.glyph < q.glyph }

// selection is a stretch of the log. The zero value is none.
type selection struct {
	from, to pos
	on       bool
	lines    bool // whole lines, made with the keyboard
	pressed  bool // the mouse button is held
	followed bool // following goes on when the selection is over
}

// span is the selected part [from, to) of the line at start with n glyphs.
func (s selection) span(start int64, n int) (from, to int) {
	if !s.on {
		return 0, 0
	}
	a, b := s.from, s.to
	if b.before(a) {
		a, b = b, a
	}
	if start < a.line || start > b.line {
		return 0, 0
	}
	if s.lines {
		return 0, max(n, 1)
	}
	to = n
	if start == a.line {
		from = min(a.glyph, n)
	}
	if start == b.line {
		to = min(b.glyph+1, n)
	}
	return from, to
}

// Selecting reports whether a selection is being made with the keyboard.
func (m *Model) Selecting() bool { return m.sel.on && m.sel.lines }

// ClearSelection ends selecting; had reports whether there was something. A
// view that followed before follows again.
func (m *Model) ClearSelection() (cmd tea.Cmd, had bool) {
	had = m.sel.on
	followed := m.sel.followed
	m.sel, m.dirty = selection{}, true
	if followed {
		cmd = m.SetFollow(true)
	}
	return cmd, had
}

func (m *Model) toggleSelect() tea.Cmd {
	if cmd, had := m.ClearSelection(); had {
		return cmd
	}
	if len(m.lines) == 0 {
		return notice("nothing to select")
	}
	at := pos{line: m.lines[m.pointed()].Start}
	m.sel = selection{from: at, to: at, on: true, lines: true}
	m.hold()
	return nil
}

// hold keeps the text in its place while it is selected, as it would run away
// under the pointer in a log that is followed.
func (m *Model) hold() {
	if m.follow {
		m.unfollow()
		m.sel.followed = true
	}
}

// pointed is the line that y copies without a selection: the current match if
// it can be seen, else the last line on the view.
func (m *Model) pointed() int {
	for i := m.top; i <= m.bottom() && i < len(m.lines); i++ {
		if m.query.re != nil && m.lines[i].Start == m.query.current {
			return i
		}
	}
	return m.bottom()
}

// extend moves the end of a selection by lines and keeps it in view.
func (m *Model) extend(delta int) tea.Cmd {
	i := m.indexOf(m.sel.to.line) + delta
	i = max(0, min(len(m.lines)-1, i))
	m.sel.to.line, m.dirty = m.lines[i].Start, true
	switch {
	case i < m.top:
		return m.Scroll(i - m.top - m.topRow)
	case i > m.bottom():
		rows := 0
		for j := m.bottom() + 1; j <= i; j++ {
			rows += m.rowsOf(j)
		}
		return m.Scroll(rows)
	case i == m.bottom() && delta > 0 && !m.atBottom():
		return m.Scroll(1)
	}
	return nil
}

// copySelection copies the selection, or the pointed line.
func (m *Model) copySelection() tea.Cmd {
	if len(m.lines) == 0 || m.src == nil {
		return notice("nothing to copy")
	}
	sel := m.sel
	if !sel.on {
		e := &m.lines[m.pointed()]
		raw, isCut := e.Raw, e.Cut
		return func() tea.Msg {
			var emu lineEmulator
			d := emu.draw(raw, maxCopyColumns)
			return CopyMsg{Text: strings.TrimRight(d.text, " "), Line: true, Cut: isCut || d.shown < len(raw)}
		}
	}
	resume, _ := m.ClearSelection()
	ctx, src := m.ctx, m.src
	return tea.Batch(resume, func() tea.Msg {
		msg, err := sel.text(ctx, src)
		if err != nil {
			return NoticeMsg{Text: "Not copied: " + m.words(err)}
		}
		return msg
	})
}

// text reads what is selected.
func (s selection) text(ctx context.Context, src Source) (CopyMsg, error) {
	a, b := s.from.line, s.to.line
	if b < a {
		a, b = b, a
	}
	var (
		texts []string
		size  int
		emu   lineEmulator
		msg   CopyMsg
	)
	for off, full := a, false; off <= b && !full; {
		lines, err := src.Window(ctx, off, 0, 500)
		if err != nil {
			return msg, err
		}
		if len(lines) == 0 {
			break
		}
		for _, l := range lines {
			if l.Start > b {
				break
			}
			if full = size >= maxCopy; full {
				msg.Cut = true
				break
			}
			d := emu.draw(l.Raw, maxCopyColumns)
			msg.Cut = msg.Cut || l.Cut || d.shown < len(l.Raw)
			from, to := s.span(l.Start, d.own)
			text := strings.TrimRight(d.part(min(from, d.own), min(to, d.own)), " ")
			texts, size = append(texts, text), size+len(text)+1
		}
		off = max(lines[len(lines)-1].End, off+1)
	}
	msg.Text = strings.Join(texts, "\n")
	return msg, nil
}

// posAt is the character at a place of the view.
func (m *Model) posAt(x, y int) (pos, bool) {
	row := -m.topRow
	for i := m.top; i < len(m.lines); i++ {
		rows := m.rowsOf(i)
		if y >= row+rows {
			row += rows
			continue
		}
		e := &m.lines[i]
		inner := max(0, y-row)
		if e.Dropped > 0 {
			inner = max(0, inner-1)
		}
		col := max(0, x-m.gutter()) + m.left
		if m.wrap {
			col = max(0, x-m.gutter()) + inner*m.textWidth()
		}
		at := 0
		d := m.glyphsOf(e)
		for g, gl := range d.glyphs[:d.own] {
			if at += int(gl.width); col < at {
				return pos{e.Start, g}, true
			}
		}
		return pos{e.Start, d.own}, true
	}
	return pos{}, false
}
