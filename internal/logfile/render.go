package logfile

import (
	"slices"
	"unicode/utf8"
)

// DefaultWidth is how many bytes of text a line keeps unless told otherwise.
const DefaultWidth = 64 << 10

// A renderer turns the bytes of one line, fed in any pieces, into the text that
// a terminal would show of it. Each character takes one cell, wide and
// combining ones too: enough to let a progress bar overwrite itself.
//
// Most lines only ever append, and are kept as bytes. The first character that
// overwrites another turns them into cells.
type renderer struct {
	width int // bytes of text kept
	esc   escapes

	text  []byte // the line while nothing was overwritten
	chars int    // cells in text

	cells      []rune // the line after that, if inCells
	inCells    bool
	col        int   // where the next character goes, in cells
	over       int64 // bytes of text beyond the width
	pending    [utf8.UTFMax]byte
	pendingLen int // bytes of a character that is not complete
}

func newRenderer(width int) *renderer {
	if width <= 0 {
		width = DefaultWidth
	}
	return &renderer{width: width}
}

// reset makes it ready for the next line.
func (r *renderer) reset() {
	r.esc = escapes{}
	r.text, r.chars = r.text[:0], 0
	r.cells, r.inCells = r.cells[:0], false
	r.col, r.over, r.pendingLen = 0, 0, 0
}

// write feeds a part of a line, without its LF.
func (r *renderer) write(p []byte) {
	for i := 0; i < len(p); {
		if r.esc.ground() && r.pendingLen == 0 {
			if n := asciiRun(p[i:]); n > 0 {
				r.printASCII(p[i : i+n])
				i += n
				continue
			}
			if n := colourRun(p[i:]); n > 0 {
				i += n
				continue
			}
		}
		r.step(p[i])
		i++
	}
}

// line is the text so far and how many bytes of it had no room. An incomplete
// character at its end is not in it. The text is valid until the next call.
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

// end is line when no more bytes of it will come.
func (r *renderer) end() (text []byte, over int64) {
	r.flushPending()
	return r.line()
}

// endOf is end for a line; a character of which the end was dropped is no part of it.
func (r *renderer) endOf(f found) (text []byte, over int64) {
	if f.cutOff && f.open {
		return r.line()
	}
	return r.end()
}

// step takes one byte that is not plain text on the ground.
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

// flushPending gives up on a character that turned out to be invalid: each of
// its bytes shows as one.
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

// length is the number of cells the line has.
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

// act does what an escape sequence does to one line; all others do nothing.
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

// erase is EL: to the end of the line (0), to its beginning (1), all of it (2).
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
