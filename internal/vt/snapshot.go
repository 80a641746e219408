package vt

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Private modes of snapshots. Other terminals ignore them.
const (
	snapOneCell = 44727 // set: text up to the reset is one cell
	snapPending = 44728 // set: the wrap is pending
)

// Snapshot returns a byte string that brings a new Terminal of the same size into the
// state of this one: screens, at most so many rows of scrollback, cursors, style, margins, tabs, character
// sets, modes, title, colors, and an incomplete sequence. Further output of the
// application can follow directly. The snapshot can also be shown on the user's
// terminal; pass it through the [Filter] of the stream.
func (t *Terminal) Snapshot(scrollback int) []byte {
	s := snapshot{t: t}
	s.prepare()
	s.mainRows(scrollback)
	s.savedCursor(&t.screens[0])
	s.kitty(&t.screens[0].kitty)
	s.alternate()
	s.tabs()
	s.colors()
	s.titles()
	s.pens()
	s.modes()
	s.margins()
	s.cursor()
	s.vt52()
	s.halfReceived()
	return s.b
}

// snapshot builds the byte string. While rows are drawn, the receiving terminal is in
// its default modes.
type snapshot struct {
	t *Terminal
	b []byte
}

func (s *snapshot) put(text string)            { s.b = append(s.b, text...) }
func (s *snapshot) putf(f string, args ...any) { s.b = fmt.Appendf(s.b, f, args...) }

// prepare clears the screen and resets the modes that affect drawing.
func (s *snapshot) prepare() {
	t := s.t
	s.put("\x1b[!p\x1b[?69l\x1b[?6l\x1b[r\x1b[?7h\x1b[?45l\x1b[4l\x1b[20l\x1b(B\x0f\x1b[m")
	if t.conformance != 4 {
		s.putf("\x1b[%d\"p", 60+t.conformance)
	}
	if t.modes.has(modeColumns132) {
		s.put("\x1b[?3h")
	}
	s.put("\x1b[?2027l\x1b[H\x1b[2J")
}

// alternate draws the alternate screen if it was ever used, and switches to the
// current screen.
func (s *snapshot) alternate() {
	t := s.t
	alt := &t.screens[1]
	if alt.rows == nil && alt.saved == newCursor() && alt.kitty == (kittyStack{}) {
		return
	}
	s.put("\x1b[?1047h\x1b[H")
	if alt.rows != nil {
		s.rows(alt.rows)
	}
	s.savedCursor(alt)
	s.kitty(&alt.kitty)
	switch {
	case t.onAlt():
	case alt.rows == nil:
		s.put("\x1b[?1047l")
	default:
		s.put("\x1b[?47l")
	}
}

// mainRows draws the end of the scrollback and the main screen.
func (s *snapshot) mainRows(limit int) {
	t := s.t
	n := t.ScrollbackLen()
	first := max(0, n-limit)
	rows := make([]*row, 0, n-first+t.rows)
	for cells, wrapped := range t.ScrollbackRows(first) {
		r := &row{cols: t.cols, wrap: wrapped}
		if len(cells) <= t.cols {
			copy(r.all(), cells)
		}
		if last := &r.all()[t.cols-1]; r.wrap && last.IsBlank() {
			last.attr |= edgeSpacer
		}
		rows = append(rows, r)
	}
	s.rows(append(rows, t.screens[0].rows...))
}

// rows draws rows one after another from the top, scrolling.
func (s *snapshot) rows(rows []*row) {
	var before []Cell // the cells that the row continues
	for y, r := range rows {
		s.row(r.all(), before)
		s.lineSize(r.size)
		before = nil
		if y == len(rows)-1 {
			break
		}
		// Force the wrap, in the default style, if drawing the next row would not
		// cause it, or would fill the row that scrolls in.
		next := rows[y+1].at(0)
		switch {
		case !r.wraps():
			s.put("\r\n")
		case r.hasSpacer():
			s.putf("\x1b[%dG", r.cols)
			before = r.all()[:r.cols-1]
			if first, _ := utf8.DecodeRuneInString(s.t.CellText(next)); cellWidth(first) < 2 || next.bg != 0 {
				s.cell(Cell{ch: 0x3000}, before)
				s.put("\r\x1b[2X")
				before = nil
			}
		case next.ch == 0, next.bg != 0:
			s.put(" \r\x1b[X")
		default:
			before = r.all()
		}
	}
}

// row draws cells from the left edge and ends in the default style. before are the
// cells of the row that wrapped into this one.
func (s *snapshot) row(cells, before []Cell) {
	n := len(trimBlank(cells))
	var pen Cell
	for x := 0; x < n; x++ {
		c := cells[x]
		if c.isTail() {
			continue
		}
		s.pen(pen, c)
		pen = c
		if c.ch != 0 {
			if x > 0 {
				before = cells[:x]
			}
			s.cell(c, before)
			continue
		}
		run := 1
		for x+run < n && cells[x+run] == c {
			run++
		}
		if c.bg != 0 && run > 1 && run == len(cells) { // erasing the whole row would end the line before
			run--
		}
		if c.bg != 0 {
			s.putf("\x1b[%dX", run)
		}
		if x += run - 1; x+1 < n {
			s.putf("\x1b[%dC", run)
		}
	}
	s.pen(pen, Cell{})
}

// cell draws the text of one cell, so that it does not join the cell before.
func (s *snapshot) cell(c Cell, before []Cell) {
	switch {
	case c.isCluster(), joinsLone(rune(c.ch)):
		s.apart(c)
	case c.ch >= 0x300 && s.t.mayJoin(before):
		s.apart(c)
	default:
		s.b = s.t.appendText(s.b, c)
	}
}

// apart draws text as exactly one cell.
func (s *snapshot) apart(c Cell) {
	s.putf("\x1b[?%dh", snapOneCell)
	s.b = s.t.appendText(s.b, c)
	s.putf("\x1b[?%dl", snapOneCell)
}

// pen changes the style, including protection.
func (s *snapshot) pen(from, to Cell) {
	s.b = s.t.appendPen(s.b, from, to)
	if (from.attr^to.attr)&protectedBit != 0 {
		on := 0
		if to.attr&protectedBit != 0 {
			on = 1
		}
		s.putf("\x1b[%d\"q", on)
	}
}

// halfReceived appends the beginning of an incomplete sequence.
func (s *snapshot) halfReceived() {
	ps := &s.t.parser
	inter := func() {
		switch ps.inter {
		case 0:
		case 0xff:
			s.put("  ")
		default:
			s.b = append(s.b, ps.inter)
		}
	}
	switch ps.state {
	case ground:
		s.b = append(s.b, ps.utf8[:ps.nutf8]...)
	case escape, escapeInter:
		s.put("\x1b")
		inter()
	case csiParams:
		s.put("\x1b[")
		if ps.prefix != 0 {
			s.b = append(s.b, ps.prefix)
		}
		for i := 0; ps.given && i <= ps.n; i++ {
			switch {
			case i == 0:
			case ps.colon>>i&1 == 1:
				s.put(":")
			default:
				s.put(";")
			}
			if v := ps.params[i]; v > 0 || ps.n == 0 {
				s.b = strconv.AppendInt(s.b, int64(v), 10)
			}
		}
		inter()
	case vt52Row:
		s.put("\x1bY")
	case vt52Column:
		s.put("\x1bY")
		s.b = append(s.b, byte(ps.params[0]))
	case csiIgnore:
		s.put("\x1b[1?")
	case stringBody:
		s.b = append(append(s.b, 0x1b, ps.kind), ps.str...)
	case stringIgnore:
		s.ignored()
	case stringEscape:
		switch ps.kind {
		case ']', 'P':
			s.b = append(append(s.b, 0x1b, ps.kind), ps.str...)
		default:
			s.ignored()
		}
		s.put("\x1b")
	}
}

// ignored appends the beginning of an ignored string.
func (s *snapshot) ignored() {
	if s.t.parser.kind == ']' {
		s.put("\x1b]x;")
		return
	}
	s.put("\x1b_")
}
