package vt

import (
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// updatePlain must be called when a condition of the fast path for printable ASCII changes.
func (t *Terminal) updatePlain() { t.plain = t.isPlain() }

// isPlain reports whether the fast path for printable ASCII applies: text is written without
// translation, in the whole width, and replaces cells.
func (t *Terminal) isPlain() bool {
	c := &t.cur
	switch {
	case c.sets[c.gl] != 'B', c.single != 0:
		return false // translated
	case t.oneCell != 0, t.modes.has(modeInsert):
		return false // does not replace cells
	}
	return !t.hasSideMargins()
}

// hasSideMargins reports whether text is limited to a part of the width.
func (t *Terminal) hasSideMargins() bool { return t.rgt-t.left < t.cols-1 }

// inSideMargins reports whether the cursor is within the horizontal margins.
func (t *Terminal) inSideMargins() bool { return within(t.cur.x, t.left, t.rgt) }

// printPlain writes the printable ASCII at the beginning of p and returns the rest.
func (t *Terminal) printPlain(p []byte) []byte {
	c := &t.cur
	for len(p) > 0 && p[0]-0x20 < 0x5f {
		if c.pending {
			if t.modes.has(modeAutoWrap) {
				t.wrap()
			}
			c.pending = false
		}
		r := t.scr.row(c.y)
		if r.wrap {
			r.settle()
			if last := r.cols - 1; within(last, c.x+1, c.x+len(p)-1) && r.at(last).isTail() {
				t.print(rune(p[0])) // blanks its first half, and ends the wrap
				p = p[1:]
				continue
			}
		}
		r.store(c.x + 1)
		split(r.stored, c.x)
		dst := r.stored[c.x:]
		n := min(len(p), len(dst))
		dst = dst[:n]
		pen := c.pen
		i := 0
		for ; i < n; i++ {
			ch := p[i]
			if ch-0x20 >= 0x5f {
				break
			}
			dst[i] = pen
			dst[i].ch = uint32(ch)
		}
		t.last = rune(p[i-1])
		p = p[i:]
		c.x += i
		if c.x < r.used {
			if r.stored[c.x].isTail() { // its first half was overwritten
				r.stored[c.x] = Cell{}
			}
			continue
		}
		r.used = c.x
		if c.x < r.cols {
			continue
		}
		c.x = r.cols - 1
		c.pending = t.modes.has(modeAutoWrap)
	}
	return p
}

// wrap moves the cursor to the beginning of the next row, which continues this one. A
// row that scrolls in gets no background, because the text may end in it.
func (t *Terminal) wrap() {
	stays := t.cur.y == t.rows-1 && t.bot < t.rows-1 // no scrolling below the margins
	if !stays && !t.hasSideMargins() {
		t.scr.row(t.cur.y).wrap = true
	}
	t.cur.x = t.left
	bg := t.cur.pen.bg
	t.cur.pen.bg = 0
	t.lineFeed()
	t.cur.pen.bg = bg
}

// printText writes characters beyond ASCII, and ASCII between them, and returns the
// rest. It stops at the first character that is incomplete, has no width, may join the
// one before, or does not fit in the row. It may write nothing.
func (t *Terminal) printText(p []byte) []byte {
	c := &t.cur
	if !t.plain || c.pending || t.modes.has(modeGraphemes) {
		return p
	}
	r := t.scr.row(c.y)
	x := c.x
	if t.mayJoin(r.upTo(x)[:x]) {
		return p
	}
	written := r.used
	cells := r.stored[:written]
	head, tail := c.pen, c.pen
	tail.attr |= wideTail
	for len(p) > 0 {
		ch, n := decodeRune(p)
		if isControl(ch) || joinsLone(ch) {
			break
		}
		w := cellWidth(ch)
		if w == 0 || x+w >= r.cols {
			break
		}
		if x+w > len(cells) {
			cells = r.upTo(min(r.cols, x+16))
		}
		split(cells, x)
		split(cells, x+w)
		head.ch, head.attr = uint32(ch), c.pen.attr
		if w == 2 {
			head.attr |= wideHead
			cells[x+1] = tail
		}
		cells[x] = head
		x += w
		p = p[n:]
		t.last = ch
	}
	r.used = max(written, x)
	c.x = x
	return p
}

// decodeRune decodes the character at the beginning of p. A byte that begins none is U+FFFD. n is 0 if
// the character is incomplete, otherwise invalid, or a C1 control.
func decodeRune(p []byte) (r rune, n int) {
	switch c := p[0]; {
	case c < 0x80:
		return rune(c), 1
	case within(c, 0xe1, 0xec) && len(p) > 2:
		if p[1]&0xc0 == 0x80 && p[2]&0xc0 == 0x80 {
			return rune(c&0x0f)<<12 | rune(p[1]&0x3f)<<6 | rune(p[2]&0x3f), 3
		}
	}
	r, n = utf8.DecodeRune(p)
	switch {
	case n == 1 && !within(p[0], 0xc2, 0xf4):
		return utf8.RuneError, 1 // it begins nothing
	case n == 1, r < 0xa0:
		return 0, 0
	}
	return r, n
}

// mayJoin reports whether a character with a width could join the last one of these
// cells: only a text of several runes can end with a joiner.
func (t *Terminal) mayJoin(before []Cell) bool {
	i := len(before) - 1
	if i > 0 && before[i].isTail() {
		i--
	}
	return i >= 0 && before[i].isCluster()
}

// print writes one character, translated by the current character set.
func (t *Terminal) print(r rune) {
	if r < 0x80 {
		r = t.translate(r)
	}
	if r == softHyphen {
		r = '-'
	}
	w := 1
	if r >= 0x80 {
		w = cellWidth(r)
	}
	if t.oneCell != 1 && t.join(r, w) {
		return
	}
	if w == 0 {
		return
	}
	t.last = r
	t.put(uint32(r), w)
	if t.oneCell == 1 {
		t.oneCell = 2
	}
}

// rightLimit returns the last column for text in the cursor's row.
func (t *Terminal) rightLimit() int {
	if t.cur.x <= t.rgt {
		return t.rgt
	}
	return t.cols - 1
}

// put writes a character of width w at the cursor.
func (t *Terminal) put(ch uint32, w int) {
	c := &t.cur
	limit := t.rightLimit()
	wrapping := t.modes.has(modeAutoWrap)
	if c.pending && wrapping {
		t.wrap()
		limit = t.rightLimit()
	}
	c.pending = false
	if w > limit-c.x+1 {
		if !wrapping || w > t.rgt-t.left+1 {
			return // no room for a wide character
		}
		if e := &t.scr.row(c.y).upTo(c.x + 1)[c.x]; e.ch == 0 && e.attr&widthMask == 0 {
			e.attr |= edgeSpacer
		}
		t.wrap()
		limit = t.rightLimit()
	}
	r := t.scr.row(c.y)
	if t.modes.has(modeInsert) && c.x <= t.rgt {
		t.insertCells(c.y, c.x, w)
	}
	r.settle()
	cells := r.upTo(c.x + w)
	split(cells, c.x)
	split(cells, c.x+w)
	cell := c.pen
	cell.ch = ch
	if w == 2 {
		tail := c.pen
		tail.attr |= wideTail
		cells[c.x+1] = tail
		cell.attr |= wideHead
	}
	cells[c.x] = cell
	c.x += w
	if c.x > limit {
		c.x = limit
		c.pending = wrapping
	}
}

// stuckAt reports whether the cursor, in column x of row r, stays on the last character
// because text does not wrap.
func (t *Terminal) stuckAt(r *row, x int) bool {
	if t.modes.has(modeAutoWrap) || x != t.rightLimit() {
		return false
	}
	return !r.at(x).IsBlank()
}

// previous returns the column of the character before the cursor. At the edge, with a
// pending wrap or without wrapping, that is the character under the cursor.
func (t *Terminal) previous() (x int, ok bool) {
	x = t.cur.x
	r := t.scr.rows[t.cur.y]
	if !t.cur.pending && !t.stuckAt(r, x) {
		x--
	}
	if x < 0 {
		return 0, false
	}
	if r.at(x).isTail() {
		x--
	}
	return x, x >= 0 && r.at(x).ch != 0
}

// softHyphen is shown as a hyphen, because applications count a column for it.
const softHyphen = '\u00ad'

const zwj = '\u200d'

// firstWidening is above all characters without a width of their own that never change the width of the
// text before them.
const firstWidening = 0x1100

// asEmoji makes the character before it an emoji, which is wide. This includes
// terminals and programs that otherwise compute the width by code point.
const asEmoji = '\ufe0f'

// join adds r to the character before the cursor if they belong together. It reports
// whether r was handled, which includes a zero-width r that was dropped.
func (t *Terminal) join(r rune, w int) bool {
	byCluster := t.modes.has(modeGraphemes)
	mayStart := t.oneCell == 0 && w > 0 // a cell of its own
	if mayStart && r < 0x300 {
		return false
	}
	x, ok := t.previous()
	if !ok {
		return false
	}
	cell := &t.scr.row(t.cur.y).upTo(x + 1)[x]
	if mayStart && !mayJoinCell(*cell, r, byCluster) {
		return false
	}
	text := t.appendText(t.scratch[:0], *cell)
	last, _ := utf8.DecodeLastRune(text)
	text = utf8.AppendRune(text, r)
	t.scratch = text
	switch {
	case t.oneCell != 0:
	case byCluster:
		if !extends(text, r, w, last) {
			return false
		}
	case w == 0, last == zwj:
	case !joinsCell(*cell, r):
		return false
	}
	if len(text) > maxClusterBytes {
		return true
	}
	mayWiden := t.oneCell != 0 || byCluster || r == asEmoji
	width := cell.Width()
	if w > 0 || r >= firstWidening {
		width = displaywidth.Bytes(text)
	}
	switch {
	case width == cell.Width():
	case width == 2 && mayWiden:
		if !t.widen(x) {
			return true
		}
		cell = &t.scr.rows[t.cur.y].stored[x]
	default:
		return true // the width is not possible by code point: ignore r
	}
	// Interning may collect the tables, which needs the old content of the cell.
	id := t.internCluster(text)
	cell.ch = id
	return true
}

// mayJoinCell reports whether r, which has a width, may belong to the text of the cell.
func mayJoinCell(c Cell, r rune, byCluster bool) bool {
	if c.isCluster() || joinsLone(r) {
		return true
	}
	return byCluster && c.ch >= 0x300
}

func isModifier(r rune) bool { return within(r, 0x1f3fb, 0x1f3ff) }

// isRegional reports whether r is a regional indicator; two of them are a flag.
func isRegional(r rune) bool { return within(r, 0x1f1e6, 0x1f1ff) }

// joinsLone reports whether r, which has a width, can join a single rune.
func joinsLone(r rune) bool { return isModifier(r) || isRegional(r) }

// joinsCell reports whether r joins the text of the cell: a skin tone joins a wide
// character, a regional indicator another one.
func joinsCell(c Cell, r rune) bool {
	if isModifier(r) {
		return c.isHead()
	}
	return isRegional(r) && isRegional(rune(c.ch))
}

// extends reports whether text, whose last rune is r, is one grapheme cluster.
func extends(text []byte, r rune, w int, last rune) bool {
	if w == 0 && r != '\u200b' {
		return true
	}
	if within(r, 0x2e80, 0xa95f) && last >= 0x2e80 {
		return false // East Asian text does not join
	}
	g := graphemes.FromBytes(text)
	return g.Next() && len(g.Value()) == len(text)
}

// widen makes the narrow character before the cursor wide if it fits.
func (t *Terminal) widen(x int) bool {
	if x+1 > t.rightLimit() {
		return false
	}
	cells := t.scr.row(t.cur.y).upTo(x + 2)
	split(cells, x+2)
	tail := cells[x]
	tail.ch, tail.attr = 0, tail.attr|wideTail
	cells[x+1] = tail
	cells[x].attr |= wideHead
	if t.cur.x++; t.cur.x > t.rightLimit() {
		t.cur.x = t.rightLimit()
		t.cur.pending = t.modes.has(modeAutoWrap)
	}
	return true
}

// repeat is REP. It writes at most as many characters as fill the screen.
func (t *Terminal) repeat(n int) {
	n = min(n, t.cols*(t.rows+1))
	if t.last == 0 || !t.afford(n) {
		return
	}
	c := &t.cur
	w := cellWidth(t.last)
	simple := t.plain && w == 1
	for n > 0 {
		k := min(n, t.cols-1-c.x) // as far as the last column but one
		if !simple || c.pending || k == 0 {
			t.put(uint32(t.last), w)
			n--
			continue
		}
		r := t.scr.row(c.y)
		r.settle()
		r.store(c.x + k + 1)
		split(r.stored, c.x)
		split(r.stored, c.x+k)
		cell := c.pen
		cell.ch = uint32(t.last)
		fillCells(r.stored[c.x:c.x+k], cell)
		c.x += k
		n -= k
	}
}
