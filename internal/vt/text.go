package vt

import (
	"bytes"
	"strings"
)

// Text returns the current screen as lines of text, without trailing blanks and empty
// lines.
func (t *Terminal) Text() string {
	var b []byte
	for _, r := range t.scr.rows {
		for _, c := range r.all() {
			b = t.appendText(b, c)
		}
		b = append(bytes.TrimRight(b, " "), '\n')
	}
	return strings.TrimRight(string(b), "\n")
}

// ANSI returns the current screen as lines with SGR sequences and links. Each line
// begins and ends in the default style.
func (t *Terminal) ANSI() string {
	var b []byte
	for y := range t.rows {
		b = t.AppendANSI(b, t.Row(y))
		b = append(b, '\n')
	}
	return strings.TrimRight(string(b), "\n")
}

// MainANSI returns the scrollback and the main screen as text with SGR sequences and links, even
// while the alternate screen is shown. Wrapped rows are joined.
func (t *Terminal) MainANSI() string {
	var b []byte
	var line []Cell
	end := func(wrapped bool) {
		if wrapped {
			return
		}
		b = append(t.AppendANSI(b, line), '\n')
		line = line[:0]
	}
	for row, wrapped := range t.ScrollbackRows(0) {
		line = append(line, row...)
		end(wrapped)
	}
	rows := t.screens[0].rows
	for y, r := range rows {
		var next *row
		if y+1 < len(rows) {
			next = rows[y+1]
		}
		cells, wraps := r.text(next)
		line = append(line, cells...)
		end(wraps)
	}
	if len(line) > 0 {
		end(false)
	}
	return strings.TrimRight(string(b), "\n")
}

// AppendANSI appends cells to b with SGR sequences and links, without trailing blanks
// that have no background. It begins and ends in the default style.
func (t *Terminal) AppendANSI(b []byte, cells []Cell) []byte {
	n := len(cells)
	for n > 0 && !showsAtEnd(cells[n-1]) {
		n--
	}
	var pen Cell
	for _, c := range cells[:n] {
		if c.isTail() {
			continue
		}
		if !c.SameStyle(pen) {
			b = t.appendPen(b, pen, c)
			pen = c
		}
		b = t.appendText(b, c)
	}
	if !pen.SameStyle(Cell{}) {
		b = t.appendPen(b, pen, Cell{})
	}
	return b
}

// showsAtEnd reports whether a cell at the end of a line can be seen.
func showsAtEnd(c Cell) bool {
	const drawn = uint16(Reverse|Strike|Overline) | underlineMask
	switch c.ch {
	case 0, ' ':
		return c.bg != 0 || c.isTail() || c.attr&drawn != 0
	}
	return true
}

// appendPen appends the sequences that change the style from that of one cell to that
// of another.
func (t *Terminal) appendPen(b []byte, from, to Cell) []byte {
	ef, et := t.extras.at(from.ext), t.extras.at(to.ext)
	if ef.uri != et.uri || ef.id != et.id {
		b = append(b, "\x1b]8;"...)
		if et.id != "" {
			b = append(append(b, "id="...), et.id...)
		}
		b = append(append(append(b, ';'), et.uri...), "\x1b\\"...)
	}
	before, after := t.Style(from), t.Style(to)
	if before == after {
		return b
	}
	if before != (Style{}) {
		b = append(b, "\x1b[m"...)
	}
	return after.AppendSGR(b)
}
