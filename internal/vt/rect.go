package vt

import "fmt"

// area is a rectangle of cells, both ends inclusive.
type area struct{ top, left, bot, right int }

// areaAt returns the area of the four parameters from index i on. Missing ones are the
// edges. In origin mode, positions are relative to the margins and limited to them.
func (t *Terminal) areaAt(i int) (area, bool) {
	x0, y0, x1, y1 := 0, 0, t.cols-1, t.rows-1
	if t.cur.origin {
		x0, y0, x1, y1 = t.left, t.top, t.rgt, t.bot
	}
	a := area{
		top:   y0 + t.param(i, 1) - 1,
		left:  x0 + t.param(i+1, 1) - 1,
		bot:   min(y1, y0+t.param(i+2, t.rows)-1),
		right: min(x1, x0+t.param(i+3, t.cols)-1),
	}
	return a, a.top <= a.bot && a.left <= a.right
}

const (
	// cellsPerByte is how many cells a byte of the output pays for.
	cellsPerByte = 8
	// rowPrice is what a row costs in addition, and changedPrice what a cell costs that is
	// examined and not only replaced, in cells.
	rowPrice, changedPrice = 8, 4
	// keptRowPrice is what a row costs that is added to the scrollback, whatever is in it.
	keptRowPrice = 3
	// A cell pays for so many that only move within their row, that move to another row, or that are added
	// to the scrollback although only their row was filled; and for so many rows that are erased.
	movedPerCell, scrolledPerCell, keptPerCell, rowsPerCell = 8, 16, 2, 2
	// maxCredit is the number of cells that are paid for in advance: thousands of screens of
	// 80x24.
	maxCredit = 16 << 20
)

// A few bytes of output can change a large area. Repeated without end, they would occupy the process
// that reads them. Operations whose cost depends on their area therefore call afford first: it takes the
// cells off the credit that the output so far has earned, or returns false if there is too little, and
// the operation is ignored. Programs that draw never run out.
func (t *Terminal) afford(cells int) bool {
	if cells > t.credit {
		return false
	}
	t.credit -= max(0, cells)
	return true
}

func (a area) rows() int { return a.bot - a.top + 1 }
func (a area) contains(x, y int) bool {
	return within(x, a.left, a.right) && within(y, a.top, a.bot)
}
func (a area) cells() int { return a.rows() * (a.right - a.left + 1) }

// each calls f for each cell of the area. It splits wide characters at the edges.
func (t *Terminal) each(a area, f func(c *Cell)) {
	for y := a.top; y <= a.bot; y++ {
		r := t.scr.row(y)
		r.settle()
		cells := r.all()
		split(cells, a.left)
		split(cells, a.right+1)
		for x := a.left; x <= a.right; x++ {
			f(&cells[x])
		}
	}
}

// fillArea makes all cells of the area the same.
func (t *Terminal) fillArea(a area, c Cell) {
	if a.right-a.left < t.cols-1 {
		if t.afford(a.cells()) {
			t.each(a, func(old *Cell) { *old = c })
		}
		return
	}
	if !t.afford(a.rows() * rowPrice) {
		return
	}
	for y := a.top; y <= a.bot; y++ {
		r := t.scr.row(y)
		r.settle()
		r.become(c)
	}
}

// rectangle is one of the operations on rectangular areas, CSI ... $ final.
func (t *Terminal) rectangle(final byte) {
	switch final {
	case 'v':
		t.copyArea()
	case 'x': // DECFRA
		ch := t.param(0, 0)
		printable := within(ch, 32, 126) || within(ch, 160, 255)
		if a, ok := t.areaAt(1); ok && printable {
			cell := t.cur.pen
			cell.ch = uint32(t.translate(rune(ch)))
			t.fillArea(a, cell)
		}
	case 'z': // DECERA
		if a, ok := t.areaAt(0); ok {
			t.fillArea(a, t.blank())
		}
	case '{': // DECSERA
		if a, ok := t.areaAt(0); ok && t.afford(a.rows()*rowPrice) {
			erase := t.eraseUnprotected
			if t.guarded { // only DECSCA protects from this one
				erase = t.erase
			}
			for y := a.top; y <= a.bot; y++ {
				erase(y, a.left, a.right+1)
			}
		}
	case 'r', 't': // DECCARA, DECRARA
		t.changeAttributes(final == 't')
	}
}

// copyArea is DECCRA. Pages are ignored.
func (t *Terminal) copyArea() {
	from, ok := t.areaAt(0)
	if !ok {
		return
	}
	x0, y0, x1, y1 := 0, 0, t.cols-1, t.rows-1
	if t.cur.origin {
		x0, y0, x1, y1 = t.left, t.top, t.rgt, t.bot
	}
	top, left := y0+t.param(5, 1)-1, x0+t.param(6, 1)-1
	w := min(from.right-from.left, x1-left) + 1
	h := min(from.bot-from.top, y1-top) + 1
	if min(w, h) <= 0 || !t.afford(w*h) {
		return
	}
	copyRow := func(i int) {
		src, dst := t.scr.rows[from.top+i], t.scr.row(top+i)
		dst.settle()
		copyCells(dst.all(), src.all(), left, from.left, w)
	}
	if top > from.top {
		for i := h - 1; i >= 0; i-- {
			copyRow(i)
		}
		return
	}
	for i := range h {
		copyRow(i)
	}
}

// copyCells copies w cells from column from of src to column to of dst, which may be
// the same row. Wide characters that an edge splits are blanked in dst.
func copyCells(dst, src []Cell, to, from, w int) {
	kind := func(c []Cell, x int) uint16 {
		if x == len(c) {
			return 0
		}
		return c[x].attr & widthMask
	}
	first, last := kind(src, from) == wideTail, kind(src, from+w-1) == wideHead
	before, behind := kind(dst, to) == wideTail, kind(dst, to+w) == wideTail
	copy(dst[to:to+w], src[from:from+w])
	if first {
		dst[to] = Cell{}
	}
	if last {
		dst[to+w-1] = Cell{}
	}
	if before {
		dst[to-1] = Cell{}
	}
	if behind {
		dst[to+w] = Cell{}
	}
}

// changeAttributes is DECCARA, or DECRARA if reverse is set.
func (t *Terminal) changeAttributes(reverse bool) {
	a, ok := t.areaAt(0)
	if !ok || !t.afford(a.rows()*t.cols*changedPrice) {
		return
	}
	var set, unset uint16
	params := t.parser.params[min(4, t.parser.n+1) : t.parser.n+1]
	if len(params) == 0 {
		params = []uint16{0}
	}
	const all = uint16(Bold|Blink|Reverse|Hidden) | underlineMask
	for _, v := range params {
		var bit uint16
		switch v % 20 {
		case 1, 2:
			bit = uint16(Bold)
		case 4:
			bit = uint16(UnderlineSingle) << underlineShift
		case 5:
			bit = uint16(Blink)
		case 7:
			bit = uint16(Reverse)
		case 8:
			bit = uint16(Hidden)
		}
		switch {
		case v == 0 && reverse:
			set = all&^underlineMask | uint16(UnderlineSingle)<<underlineShift
		case v == 0:
			set, unset = 0, all
		case v >= 20:
			set, unset = set&^bit, unset|bit
		default:
			set, unset = set|bit, unset&^bit
		}
	}
	change := func(c *Cell) {
		if reverse {
			c.attr ^= set
		} else {
			c.attr = c.attr&^(unset|set&underlineMask) | set
		}
		if c.IsBlank() && c.attr&(attrMask|underlineMask) != 0 {
			c.ch, c.attr = ' ', c.attr&^widthMask
		}
	}
	if t.rectExtent == 2 {
		t.each(a, change)
		return
	}
	// A stream of characters from the first position to the last.
	for y := a.top; y <= a.bot; y++ {
		part := area{y, 0, y, t.cols - 1}
		if y == a.top {
			part.left = a.left
		}
		if y == a.bot {
			part.right = a.right
		}
		if part.left <= part.right {
			t.each(part, change)
		}
	}
}

// Flags of XTCHECKSUM, each a deviation from the DEC rules.
const (
	sumPositive   = 1 << iota // do not negate the sum
	sumPlain                  // exclude attributes
	sumBlanks                 // include blanks at the end of a row
	sumUnwritten              // exclude cells that were never written
	sumWholeRunes             // do not truncate characters to eight bits
)

// reportChecksum is DECRQCRA: it reports the negated sum of the characters of an area
// and their attributes, like xterm.
func (t *Terminal) reportChecksum() {
	if t.reply == nil {
		return
	}
	sum := uint16(0)
	if a, ok := t.areaAt(2); ok {
		if !t.afford(a.cells() * changedPrice) {
			return
		}
		sum = t.sumArea(a)
	}
	if t.checksums&sumPositive == 0 {
		sum = -sum
	}
	t.scratch = fmt.Appendf(t.scratch[:0], "\x1bP%d!~%04X\x1b\\", t.param(0, 0), sum)
	t.answerText(t.scratch)
}

func (t *Terminal) sumArea(a area) uint16 {
	sum := uint16(0)
	for y := a.top; y <= a.bot; y++ {
		cells := t.scr.rows[y].all()[a.left : a.right+1]
		if t.checksums&sumBlanks == 0 {
			for n := len(cells); n > 0 && cells[n-1].ch == 0; n = len(cells) {
				cells = cells[:n-1]
			}
		}
		for _, c := range cells {
			sum += t.checksum(c)
		}
	}
	return sum
}

func (t *Terminal) checksum(c Cell) uint16 {
	if c.IsBlank() && t.checksums&sumUnwritten != 0 {
		return 0
	}
	var sum uint16
	add := func(r rune) {
		if t.checksums&sumWholeRunes == 0 {
			r &= 0xff
		}
		sum += uint16(r)
	}
	if r, single := c.Rune(); single {
		add(r)
	} else {
		for _, r := range t.CellText(c) {
			add(r)
		}
	}
	if t.checksums&sumPlain != 0 || c.attr == 0 {
		return sum
	}
	for _, a := range [...]struct{ bits, value uint16 }{
		{protectedBit, 0x04}, {uint16(Hidden), 0x08}, {underlineMask, 0x10},
		{uint16(Reverse), 0x20}, {uint16(Blink), 0x40}, {uint16(Bold), 0x80},
	} {
		if c.attr&a.bits != 0 {
			sum += a.value
		}
	}
	return sum
}

// csiHash is CSI # final: the stack of styles (XTPUSHSGR), XTCHECKSUM.
func (t *Terminal) csiHash(final byte) {
	switch final {
	case '{', 'p':
		if len(t.pens) == maxPens {
			t.pens = t.pens[1:]
		}
		t.pens = append(t.pens, t.cur.pen)
	case 'y':
		t.checksums = uint8(t.param(0, 0))
	case '}', 'q':
		if n := len(t.pens); n > 0 {
			t.cur.pen = t.pens[n-1]
			t.pens = t.pens[:n-1]
		}
	}
}

const maxPens = 10
