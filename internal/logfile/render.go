package logfile

import (
	"slices"
	"unicode/utf8"

	"github.com/hobjobs/hob/internal/vt"
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
	if r.pendingLen > 0 && utf8.RuneStart(b) {
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
	case b == '\t', isPrintable(b):
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

// appends reports whether the next character is added to a line that is kept as bytes.
func (r *renderer) appends() bool { return !r.inCells && r.col == r.chars }

func (r *renderer) printASCII(p []byte) {
	if !r.appends() {
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
	if r.appends() {
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
	case mode == 2, mode == 0 && r.col == 0:
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

// maxParam limits a parameter of a sequence, so that it cannot overflow.
const maxParam = 1 << 20

// escapeParser parses escape sequences byte by byte, so that input may be split anywhere.
type escapeParser struct {
	scan  vt.Scanner
	param int  // the sequence's first parameter
	first bool // still in the first parameter
	plain bool // no private marker and no intermediate byte so far
}

func (e *escapeParser) ground() bool { return e.scan.Ground() }

// other handles a character outside ASCII and reports whether it is text. In a control sequence,
// which has none, it is: a log shows what a terminal would hide.
func (e *escapeParser) other() bool {
	if e.scan.InCSI() {
		e.scan.Reset()
	}
	return e.next(utf8.RuneSelf) == actPrint
}

// next handles an ASCII byte, or utf8.RuneSelf for any other character. actPrint means that it is
// not part of a sequence but text or a control character, which takes effect at once.
func (e *escapeParser) next(b byte) action {
	if e.ground() {
		if b != 0x1b {
			return actPrint
		}
	} else if isControl(b) && !e.scan.InString() {
		return actPrint
	}
	inCSI := e.scan.InCSI()
	n, done := e.scan.Next([]byte{b})
	if !done {
		if inCSI {
			e.parameter(b)
		} else if e.scan.InCSI() {
			e.param, e.first, e.plain = 0, true, true
		}
		return actNone
	}
	complete := !e.scan.Broken()
	e.scan.Reset()
	if n == 0 { // b is text or begins another sequence
		return e.next(b)
	}
	if complete && inCSI && e.plain {
		return actionOf(b)
	}
	return actNone
}

// isControl reports whether b is a control character that does not begin or abort a sequence.
func isControl(b byte) bool {
	switch b {
	case 0x18, 0x1a, 0x1b: // CAN, SUB, ESC
		return false
	}
	return b < 0x20
}

// parameter handles a byte within a control sequence.
func (e *escapeParser) parameter(b byte) {
	switch {
	case b >= '0' && b <= '9':
		if e.first {
			e.param = min(e.param*10+int(b-'0'), maxParam)
		}
	case b == ';', b == ':':
		e.first = false
	case b < 0x40:
		e.plain = false
	}
}

// actionOf returns the action of a control sequence by its final byte.
func actionOf(final byte) action {
	switch final {
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

// c1 takes a control character from U+0080 to U+009F: it is ESC and the character 0x40 below. In a
// string only ST is one.
func (e *escapeParser) c1(c byte) action {
	if e.scan.InString() && c != 0x9c {
		return actNone
	}
	e.next(0x1b)
	return e.next(c - 0x40)
}
