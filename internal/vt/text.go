package vt

import "strings"

// Text returns the screen shown as lines of text, trailing blanks and trailing
// empty lines trimmed.
func (t *Terminal) Text() string {
	return t.plainRows(t.scr.rows, nil)
}

// MainText returns the whole main screen, the scrollback before it, as text; of
// a program that uses the alternate screen that is what it left behind. Rows
// that only wrapped are joined.
func (t *Terminal) MainText() string {
	return string(t.mainLines(func(b []byte, cells []Cell) []byte {
		return appendTrimmed(b, t.cellsText(cells))
	}))
}

// ANSI returns the screen shown as lines with SGR sequences and links; each
// line begins and ends in the default style.
func (t *Terminal) ANSI() string {
	var b []byte
	for y := range t.rows {
		b = t.appendStyled(b, t.Row(y))
		b = append(b, '\n')
	}
	return strings.TrimRight(string(b), "\n")
}

// RowANSI returns one row of the screen with SGR sequences and links. Trailing
// blanks without a background are trimmed.
func (t *Terminal) RowANSI(y int) string { return string(t.appendStyled(nil, t.Row(y))) }

// AppendANSI appends cells with SGR sequences and links to b, which then is in
// the default style. Trailing blanks without a background are trimmed.
func (t *Terminal) AppendANSI(b []byte, cells []Cell) []byte { return t.appendStyled(b, cells) }

// MainANSI is [Terminal.MainText] with SGR sequences and links.
func (t *Terminal) MainANSI() string {
	return string(t.mainLines(t.appendStyled))
}

func (t *Terminal) plainRows(rows []*row, b []byte) string {
	for _, r := range rows {
		b = appendTrimmed(b, t.cellsText(r.cells))
		b = append(b, '\n')
	}
	return strings.TrimRight(string(b), "\n")
}

// mainLines renders each logical line of the scrollback and the main screen.
func (t *Terminal) mainLines(render func(b []byte, cells []Cell) []byte) []byte {
	var b []byte
	var line []Cell
	end := func(wrapped bool) {
		if wrapped {
			return
		}
		b = append(render(b, line), '\n')
		line = line[:0]
	}
	t.walkScrollback(0, func(row []Cell, wrapped bool) bool {
		line = append(line, row...)
		end(wrapped)
		return true
	})
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
	for len(b) > 0 && b[len(b)-1] == '\n' {
		b = b[:len(b)-1]
	}
	return b
}

func (t *Terminal) cellsText(cells []Cell) []byte {
	var b []byte
	for _, c := range cells {
		b = t.appendText(b, c)
	}
	return b
}

func appendTrimmed(b, text []byte) []byte {
	n := len(text)
	for n > 0 && text[n-1] == ' ' {
		n--
	}
	return append(b, text[:n]...)
}

// appendStyled appends cells with SGR and OSC 8, from and to the default style.
func (t *Terminal) appendStyled(b []byte, cells []Cell) []byte {
	n := len(cells)
	for n > 0 && !showsAtEnd(cells[n-1]) {
		n--
	}
	var pen Cell
	for _, c := range cells[:n] {
		if c.attr&widthMask == wideTail {
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
	return c.ch != 0 && c.ch != ' ' || c.bg != 0 || c.attr&widthMask == wideTail ||
		c.attr&(uint16(Reverse|Strike|Overline)|underlineMask) != 0
}

// appendPen appends what changes the style from one cell's to another's.
func (t *Terminal) appendPen(b []byte, from, to Cell) []byte {
	ef, et := t.extras.at(from.ext), t.extras.at(to.ext)
	if ef.uri != et.uri || ef.id != et.id {
		b = append(b, "\x1b]8;"...)
		if et.id != "" {
			b = append(append(b, "id="...), et.id...)
		}
		b = append(append(append(b, ';'), et.uri...), "\x1b\\"...)
	}
	const m = attrMask | underlineMask
	if from.fg == to.fg && from.bg == to.bg && ef.underline == et.underline && from.attr&m == to.attr&m {
		return b
	}
	if from.fg != 0 || from.bg != 0 || ef.underline != 0 || from.attr&m != 0 {
		b = append(b, "\x1b[m"...)
	}
	return t.Style(to).AppendSGR(b)
}
