package logfile

import (
	"slices"
	"unicode/utf8"
)

// A renderer turns the bytes of one line, written in any number of parts, into the text
// that a terminal would show. Every character counts as one cell, even wide and combining
// ones: that is enough for progress bars.
//
// Most lines never overwrite anything and are kept as bytes. The first character that
// overwrites another converts them to cells.
type renderer struct {
	width int // bytes of text kept
	esc   escapeParser

	text  []byte // the line unless inCells
	chars int    // cells in text

	cells      []rune // the line if inCells
	inCells    bool
	col        int   // column of the next character, in cells
	over       int64 // bytes of text beyond the width
	pending    [utf8.UTFMax]byte
	pendingLen int // bytes of an incomplete character
}

func newRenderer(width int) *renderer { return &renderer{width: width} }

// reset prepares r for the next line.
func (r *renderer) reset() {
	r.esc = escapeParser{}
	r.text, r.chars = r.text[:0], 0
	r.cells, r.inCells = r.cells[:0], false
	r.col, r.over, r.pendingLen = 0, 0, 0
}

// write renders a part of a line, without its LF.
func (r *renderer) write(p []byte) {
	for i := 0; i < len(p); {
		if r.esc.ground() && r.pendingLen == 0 {
			if n := asciiLen(p[i:]); n > 0 {
				r.printASCII(p[i : i+n])
				i += n
				continue
			}
			if n := sgrLen(p[i:]); n > 0 {
				i += n
				continue
			}
		}
		r.step(p[i])
		i++
	}
}

// line returns the text so far, without an incomplete character at its end, and the number
// of bytes beyond the width. The text is valid until the next call.
func (r *renderer) line() (text []byte, over int64) {
	if !r.inCells {
		return r.text, r.over
	}
	r.text, over = r.text[:0], r.over
	for _, c := range r.cells {
		n := utf8.RuneLen(c)
		if over > r.over || len(r.text)+n > r.width {
			over += int64(n)
			continue
		}
		r.text = utf8.AppendRune(r.text, c)
	}
	return r.text, over
}

// end is line for a complete line: an incomplete character at its end is invalid.
func (r *renderer) end() (text []byte, over int64) {
	r.flushPending()
	return r.line()
}

// endOf is end for a line of a log, without a character whose last bytes were dropped.
func (r *renderer) endOf(f rawLine) (text []byte, over int64) {
	if f.cutOff && f.open {
		return r.line()
	}
	return r.end()
}

// step handles one byte.
func (r *renderer) step(b byte) {
	if r.pendingLen > 0 && (b < 0x80 || b >= 0xC0) {
		r.flushPending()
	}
	if b < 0x80 {
		r.ascii(b)
		return
	}
	r.pending[r.pendingLen] = b
	r.pendingLen++
	p := r.pending[:r.pendingLen]
	if !utf8.FullRune(p) {
		return
	}
	c, n := utf8.DecodeRune(p)
	if c == utf8.RuneError && n <= 1 {
		r.flushPending()
		return
	}
	r.pendingLen = 0
	if c >= 0x80 && c < 0xA0 {
		r.act(r.esc.c1(byte(c)))
		return
	}
	if r.esc.other() {
		r.print(c)
	}
}

// flushPending prints U+FFFD for each byte of a character that is invalid.
func (r *renderer) flushPending() {
	n := r.pendingLen
	r.pendingLen = 0
	for range n {
		if r.esc.other() {
			r.print(utf8.RuneError)
		}
	}
}

func (r *renderer) ascii(b byte) {
	action := r.esc.next(b)
	if action != actPrint {
		r.act(action)
		return
	}
	switch {
	case b == '\r':
		r.col = 0
	case b == '\b':
		r.col = max(r.col-1, 0)
	case b == '\t' || b >= ' ' && b != 0x7F:
		r.print(rune(b))
	}
}

// length returns the number of cells of the line.
func (r *renderer) length() int {
	if r.inCells {
		return len(r.cells)
	}
	return r.chars
}

func (r *renderer) printASCII(p []byte) {
	if r.inCells || r.col != r.chars {
		for _, b := range p {
			r.print(rune(b))
		}
		return
	}
	n := min(len(p), r.width-len(r.text))
	if r.over > 0 {
		n = 0
	}
	r.text = append(r.text, p[:n]...)
	r.chars += n
	r.col = r.chars
	r.over += int64(len(p) - n)
}

func (r *renderer) print(c rune) {
	if !r.inCells && r.col == r.chars {
		if r.over > 0 || len(r.text)+utf8.RuneLen(c) > r.width {
			r.over += int64(utf8.RuneLen(c))
			return
		}
		r.text = utf8.AppendRune(r.text, c)
		r.chars++
		r.col++
		return
	}
	r.toCells()
	if r.col >= r.width {
		r.over += int64(utf8.RuneLen(c))
		return
	}
	for len(r.cells) < r.col {
		r.cells = append(r.cells, ' ')
	}
	if r.col == len(r.cells) {
		r.cells = append(r.cells, c)
	} else {
		r.cells[r.col] = c
	}
	r.col++
}

func (r *renderer) toCells() {
	if r.inCells {
		return
	}
	r.inCells = true
	r.cells = r.cells[:0]
	for _, c := range string(r.text) {
		r.cells = append(r.cells, c)
	}
}

// act applies the effect of an escape sequence on the line.
func (r *renderer) act(a action) {
	n := max(r.esc.param, 1)
	switch a {
	case actRight:
		r.col = min(r.col+n, r.width)
	case actLeft:
		r.col = max(r.col-n, 0)
	case actColumn:
		r.col = min(n-1, r.width)
	case actErase:
		r.erase(r.esc.param)
	}
}

// erase applies EL: it erases to the end of the line (0), to its beginning (1), or all of
// it (2).
func (r *renderer) erase(mode int) {
	switch {
	case mode == 2 || mode == 0 && r.col == 0:
		r.text, r.chars = r.text[:0], 0
		r.cells, r.inCells = r.cells[:0], false
		r.over = 0
	case mode == 0 && r.col < r.length():
		r.toCells()
		r.cells = slices.Delete(r.cells, r.col, len(r.cells))
		r.over = 0
	case mode == 1:
		r.toCells()
		for i := range min(r.col+1, len(r.cells)) {
			r.cells[i] = ' '
		}
	}
}

// An action is the effect of a byte on the line.
type action uint8

const (
	actNone action = iota
	actPrint
	actRight
	actLeft
	actColumn
	actErase
)

type escState uint8

const (
	escGround    escState = iota
	escEscape             // after ESC
	escInter              // after ESC and an intermediate byte
	escCSI                // in a control sequence
	escString             // in OSC, DCS, APC, PM or SOS
	escStringEsc          // after ESC in one of those
)

// maxParam limits a parameter of a sequence, so that it cannot overflow.
const maxParam = 1 << 20

// escapeParser parses escape sequences byte by byte, so that input may be split anywhere.
type escapeParser struct {
	state escState
	param int  // the sequence's first parameter
	first bool // still in the first parameter
	plain bool // no private marker and no intermediate byte so far
	osc   bool // the string may also end with BEL
}

func (e *escapeParser) ground() bool { return e.state == escGround }

// other handles a character outside ASCII and reports whether it is text.
func (e *escapeParser) other() bool {
	switch e.state {
	case escString:
		return false
	case escStringEsc:
		e.state = escString
		return false
	}
	e.state = escGround
	return true
}

// next handles an ASCII byte. actPrint means that it is not part of a sequence but text or
// a control character.
func (e *escapeParser) next(b byte) action {
	switch {
	case b == 0x1B:
		if e.state == escString {
			e.state = escStringEsc
			return actNone
		}
		e.state = escEscape
		return actNone
	case b == 0x18 || b == 0x1A: // CAN, SUB
		e.state = escGround
		return actNone
	}
	switch e.state {
	case escStringEsc:
		if b == '\\' {
			e.state = escGround
			return actNone
		}
		// Another sequence ends the string.
		e.state = escEscape
		return e.next(b)
	case escString:
		if b == 0x07 && e.osc {
			e.state = escGround
		}
		return actNone
	case escEscape, escInter:
		return e.escape(b)
	case escCSI:
		return e.csi(b)
	}
	return actPrint
}

func (e *escapeParser) escape(b byte) action {
	switch {
	case b < 0x20: // a control character within a sequence takes effect at once
		return actPrint
	case b < 0x30:
		e.state = escInter
		return actNone
	case e.state == escInter:
	case b == '[':
		e.startCSI()
		return actNone
	case b == ']', b == 'P', b == 'X', b == '^', b == '_':
		e.state, e.osc = escString, b == ']'
		return actNone
	}
	e.state = escGround
	return actNone
}

func (e *escapeParser) startCSI() {
	e.state, e.param, e.first, e.plain = escCSI, 0, true, true
}

func (e *escapeParser) csi(b byte) action {
	switch {
	case b < 0x20:
		return actPrint
	case b >= '0' && b <= '9':
		if e.first {
			e.param = min(e.param*10+int(b-'0'), maxParam)
		}
		return actNone
	case b == ';' || b == ':':
		e.first = false
		return actNone
	case b < 0x40 || b == 0x7F:
		e.plain = e.plain && b == 0x7F
		return actNone
	}
	e.state = escGround
	if !e.plain {
		return actNone
	}
	switch b {
	case 'C', 'a':
		return actRight
	case 'D':
		return actLeft
	case 'G', '`':
		return actColumn
	case 'K':
		return actErase
	}
	return actNone
}

// c1 takes a control character from U+0080 to U+009F.
func (e *escapeParser) c1(c byte) action {
	switch {
	case c == 0x9C: // ST
		e.state = escGround
	case e.state == escString || e.state == escStringEsc:
		e.state = escString
	case c == 0x9B:
		e.startCSI()
	case c == 0x9D, c == 0x90, c == 0x98, c == 0x9E, c == 0x9F:
		e.state, e.osc = escString, c == 0x9D
	default:
		e.state = escGround
	}
	return actNone
}
