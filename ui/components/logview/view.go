package logview

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/internal/cells"
	"github.com/hobjobs/hob/internal/units"
)

// timeLayout is the format of timestamps; the detail pane shows the date.
const timeLayout = "15:04:05"

// gutter returns the width of the columns before the text.
func (m *Model) gutter() int {
	n := 0
	if m.times {
		n += len(timeLayout) + 1
	}
	if m.numbers {
		n += m.numberWidth() + 1
	}
	if n >= m.w {
		return 0
	}
	return n
}

func (m *Model) numberWidth() int {
	width := 3
	if n := len(m.lines); n > 0 {
		width = max(width, len(fmt.Sprint(m.lines[n-1].number+1)))
	}
	return width
}

// hasTrack reports whether the last column shows the position in the log.
func (m *Model) hasTrack() bool { return m.w >= 20 && m.h >= 3 }

// textWidth returns the number of columns for text.
func (m *Model) textWidth() int {
	w := m.w - m.gutter()
	if m.hasTrack() {
		w--
	}
	return max(0, w)
}

// View draws the log in exactly the size of the component.
func (m *Model) View() string {
	if min(m.w, m.h) == 0 {
		return ""
	}
	rows := make([]string, 0, m.h)
	skip := m.topRow
	for i := m.top; i < len(m.lines) && len(rows) < m.h; i++ {
		for _, row := range m.drawLine(i) {
			if skip > 0 {
				skip--
				continue
			}
			if len(rows) < m.h {
				rows = append(rows, row)
			}
		}
	}
	if len(m.lines) == 0 {
		rows = append(rows, m.message()...)
	}
	width := m.w
	if m.hasTrack() {
		width--
	}
	blank := strings.Repeat(" ", width)
	for len(rows) < m.h {
		rows = append(rows, blank)
	}
	if m.hasTrack() {
		for y, mark := range m.track() {
			rows[y] += mark
		}
	}
	m.dropLongDrawings()
	return strings.Join(rows, "\n")
}

// message returns the rows shown instead of lines, with the reason why there are none.
func (m *Model) message() []string {
	width := m.w
	if m.hasTrack() {
		width--
	}
	text := m.empty
	switch {
	case m.err != nil:
		text = "Can't read the log: " + m.errorText(m.err)
	case m.src == nil: // no log is shown
	case m.only && !m.query.done:
		text = "Searching" + m.glyphs.Ellipsis
	case m.only:
		text = "No matching lines."
	case m.busy && m.size == 0:
		text = ""
	}
	rows := cells.WrapTo(text, width, m.h, m.glyphs.Ellipsis)
	for i, row := range rows {
		rows[i] = cells.Fit(m.styles.Muted.Render(row), width)
	}
	return rows
}

func (m *Model) drawLine(i int) []string {
	e := &m.lines[i]
	width := m.textWidth()
	var rows []string
	if e.Dropped > 0 {
		gap := fmt.Sprintf("[%s %s dropped %s]", m.glyphs.Ellipsis, units.FormatBytes(e.Dropped), m.glyphs.Ellipsis)
		rows = append(rows, cells.Blank(m.gutter())+cells.Fit(m.styles.Warning.Render(gap), width))
	}
	glyphs := m.glyphsOf(e)
	marks := m.marksOf(e)
	if !m.wrap {
		return append(rows, m.drawGutter(e, true)+m.drawCut(glyphs, marks, width))
	}
	total := glyphs.width()
	for at := 0; at < max(1, total); at += max(1, width) {
		rows = append(rows, m.drawGutter(e, at == 0)+m.drawPart(glyphs, marks, at, width))
	}
	return rows
}

func (m *Model) drawGutter(e *entry, first bool) string {
	if m.gutter() == 0 {
		return ""
	}
	if !first {
		return cells.Fit(m.styles.Faint.Render(m.glyphs.Wrapped), m.gutter())
	}
	var b strings.Builder
	if m.times {
		at := strings.Repeat(" ", len(timeLayout))
		if !e.at.IsZero() {
			at = e.at.In(m.zone).Format(timeLayout)
		}
		b.WriteString(m.styles.Muted.Render(at) + " ")
	}
	if m.numbers {
		n := ""
		if e.number >= 0 {
			n = fmt.Sprint(e.number + 1)
		}
		b.WriteString(m.styles.Faint.Render(fmt.Sprintf("%*s", m.numberWidth(), n)) + " ")
	}
	return b.String()
}

// minCut is the minimum width for marks at the edges of a cut line.
const minCut = 8

// drawCut draws an unwrapped line. A mark replaces the first or last character where the line
// continues.
func (m *Model) drawCut(d *drawing, marks []mark, width int) string {
	if width < minCut {
		return m.drawPart(d, marks, m.left, width)
	}
	left, from, before, after := m.left, 0, "", ""
	if m.left > 0 && len(d.glyphs) > 0 {
		before, from = m.styles.Cut.Render(m.glyphs.MoreLeft), 1
	}
	if d.beyond(left + width) {
		after = m.styles.Cut.Render(m.glyphs.MoreRight)
		width--
	}
	return before + m.drawPart(d, marks, left+from, width-from) + after
}

// drawPart draws width columns of a line starting at column left. A wide character that is cut
// becomes blanks.
func (m *Model) drawPart(d *drawing, marks []mark, left, width int) string {
	b := make([]byte, 0, width+32)
	i, col := d.from(left)
	used := 0
	blank := func(n int) {
		b = append(b, strings.Repeat(" ", max(0, n))...)
		used += max(0, n)
	}
	for i < len(d.glyphs) && used < width {
		g := d.glyphs[i]
		if w := int(g.width); col < left || used+w > width {
			blank(min(col+w-left, width-used))
			col += w
			i++
			continue
		}
		kind, start := markAt(marks, i), i
		for ; i < len(d.glyphs); i++ {
			next := d.glyphs[i]
			looksSame := next.look == g.look && markAt(marks, i) == kind
			if !looksSame || used+int(next.width) > width {
				break
			}
			used += int(next.width)
			col += int(next.width)
		}
		b = m.drawRun(b, d.exact(start, i), d.looks[g.look], kind)
	}
	blank(width - used)
	return string(b)
}

// drawRun draws characters with the same look.
func (m *Model) drawRun(b []byte, text string, look look, kind markKind) []byte {
	if look.link != "" {
		b = append(b, ansi.SetHyperlink(look.link)...)
	}
	sgr := look.style.AppendSGR(nil)
	switch {
	case kind != markNone:
		b = append(b, m.markStyle(kind).Render(text)...)
	case look.name > 0:
		names := &m.styles.Names
		b = append(b, names[(look.name-1)%len(names)].Render(text)...)
	case look.note:
		b = append(b, m.styles.Warning.Render(text)...)
	case look.tone == ToneQuiet:
		b = append(b, m.styles.Muted.Render(text)...)
	case look.tone == ToneFailed:
		b = append(b, m.styles.Failed.Render(text)...)
	case len(sgr) == 0:
		b = append(b, m.styles.Text.Render(text)...)
	default:
		b = append(append(append(b, sgr...), text...), "\x1b[m"...)
	}
	if look.link != "" {
		b = append(b, ansi.ResetHyperlink()...)
	}
	return b
}

func (m *Model) markStyle(k markKind) lipgloss.Style {
	switch k {
	case markMatch:
		return m.styles.Match
	case markCurrent:
		return m.styles.MatchCurrent
	case markSelected:
		return m.styles.Selection
	case markNone:
	}
	return m.styles.Text
}

// track draws the last column: the position in the log, and the matches.
func (m *Model) track() []string {
	col := make([]string, m.h)
	if len(m.lines) == 0 || m.size == 0 {
		for y := range col {
			col[y] = " "
		}
		return col
	}
	first, last := m.lines[m.top].Start, m.lines[m.bottom()].End
	whole := first == 0 && last >= m.size
	from := int(first * int64(m.h) / m.size)
	to := max(from+1, int(last*int64(m.h)/m.size))
	if whole {
		from, to = 0, 0 // no part of it is marked
	}
	hits := m.query.stretches.rows(m.size, m.h)
	for y := range col {
		inView := from <= y && y < to
		switch {
		case hits[y] && inView:
			col[y] = m.styles.Accent.Render(m.glyphs.HitInView)
		case hits[y]:
			col[y] = m.styles.Accent.Render(m.glyphs.Hit)
		case whole:
			col[y] = " "
		case inView:
			col[y] = m.styles.Muted.Render(m.glyphs.ScrollThumb)
		default:
			col[y] = m.styles.Border.Render(m.glyphs.ScrollTrack)
		}
	}
	return col
}
