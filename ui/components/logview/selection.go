package logview

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/ui/components/selection"
)

// maxCopy limits how much is copied; terminals reject more.
const maxCopy = 1 << 20

// pos is the position of a character in the log: the offset of its line, and its glyph.
type pos = selection.Point[int64]

// selected is a range of the log. The zero value is no selection.
type selected struct {
	selection.Range[int64]
	lines    bool // whole lines, selected with the keyboard
	followed bool // resume following when the selection ends
	moved    int  // lines from the first to the last selected one, negative for up
}

// span returns the selected glyphs [from, to) of the line at start, which has n glyphs.
func (s selected) span(start int64, n int) (from, to int) {
	if !s.lines {
		return s.Span(start, n)
	}
	if !s.Includes(start) {
		return 0, 0
	}
	return 0, max(n, 1)
}

// Selecting reports whether lines are being selected with the keyboard.
func (m *Model) Selecting() bool { return m.sel.On && m.sel.lines }

// SelectedLines returns the number of lines selected with the keyboard, or 0 if there are none or if
// lines between them are not shown.
func (m *Model) SelectedLines() int {
	if !m.Selecting() || m.only {
		return 0
	}
	return max(m.sel.moved, -m.sel.moved) + 1
}

// ClearSelection ends the selection; had reports whether there was one. If the view followed
// before, it follows again.
func (m *Model) ClearSelection() (cmd tea.Cmd, had bool) {
	had = m.sel.On
	followed := m.sel.followed
	if m.Selecting() {
		m.at = m.sel.To.Line
	}
	m.sel = selected{}
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
		return notice("Nothing to select")
	}
	at := pos{Line: m.lines[m.current()].Start}
	m.sel = selected{Range: selection.Range[int64]{From: at, To: at, On: true}, lines: true}
	m.hold()
	return nil
}

// hold stops following during a selection: otherwise the text would move under the pointer.
func (m *Model) hold() {
	if m.follow {
		m.unfollow()
		m.sel.followed = true
	}
}

// extend moves the end of a selection by lines and keeps it in view.
func (m *Model) extend(delta int) tea.Cmd {
	before := m.indexOf(m.sel.To.Line)
	i := max(0, min(len(m.lines)-1, before+delta))
	m.sel.To.Line = m.lines[i].Start
	m.sel.moved += i - before
	switch {
	case i < m.top:
		return m.Scroll(i - m.top - m.topRow)
	case i > m.bottom():
		rows := 0
		for j := m.bottom() + 1; j <= i; j++ {
			rows += m.rowsOf(j)
		}
		return m.Scroll(rows)
	case i < m.bottom(), m.atBottom(), delta <= 0:
		return nil
	}
	return m.Scroll(1) // the line is in view only in part
}

func (m *Model) copySelection() tea.Cmd {
	if len(m.lines) == 0 || m.src == nil {
		return notice("Nothing to copy")
	}
	sel := m.sel
	if !sel.On {
		e := &m.lines[m.current()]
		label, raw, isCut := e.label, e.Raw, e.Cut
		return func() tea.Msg {
			var emu lineEmulator
			d := emu.draw(label, raw, maxCopyColumns)
			return selection.CopyMsg{
				Text: strings.TrimRight(d.text, " "),
				Line: true,
				Cut:  isCut || d.shown < len(raw),
			}
		}
	}
	resume, _ := m.ClearSelection()
	ctx, src := m.ctx, m.src
	return tea.Batch(resume, func() tea.Msg {
		msg, err := sel.text(ctx, src)
		if err != nil {
			return NoticeMsg{Text: "Not copied: " + m.errorText(err)}
		}
		return msg
	})
}

func (s selected) text(ctx context.Context, src Source) (selection.CopyMsg, error) {
	first, last := s.Ordered()
	var (
		texts []string
		size  int
		emu   lineEmulator
		msg   selection.CopyMsg
	)
	for off, full := first.Line, false; off <= last.Line && !full; {
		lines, err := src.Window(ctx, off, 0, 500)
		if err != nil {
			return msg, err
		}
		if len(lines) == 0 {
			break
		}
		for _, l := range lines {
			if l.Start > last.Line {
				break
			}
			if full = size >= maxCopy; full {
				msg.Cut = true
				break
			}
			d := emu.draw(labelOf(src, l.Start), l.Raw, maxCopyColumns)
			if l.Cut || d.shown < len(l.Raw) {
				msg.Cut = true
			}
			from, to := s.span(l.Start, d.own)
			text := strings.TrimRight(d.part(min(from, d.own), min(to, d.own)), " ")
			texts, size = append(texts, text), size+len(text)+1
		}
		off = max(lines[len(lines)-1].End, off+1)
	}
	msg.Text = strings.Join(texts, "\n")
	return msg, nil
}

// posAt returns the character at a position in the view.
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
				return pos{Line: e.Start, X: g}, true
			}
		}
		return pos{Line: e.Start, X: d.own}, true
	}
	return pos{}, false
}
