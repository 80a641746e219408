package vt

import (
	"encoding/binary"
	"iter"
	"unicode/utf8"
)

const blockSize = 32 << 10

// scrollback stores the rows that left the main screen as logical lines of encoded
// text, so that they can be wrapped to another width. The lines are in blocks, which
// are dropped and reused as a whole.
type scrollback struct {
	limit  int // bytes; 0 keeps nothing
	bytes  int
	blocks []*block
	open   bool // the next row continues the last line
	spacer bool // the last row of that line ended with a spacer, which is not stored
	pushed uint64
	pen    Cell // style at the end of the last line
	spare  *block
	enc    []byte
}

type block struct {
	data  []byte
	lines []lineRef
	links []extra // the extras of style records
	cost  int     // bytes of links
	width int     // the width for which rows was computed; 0 if not computed
	rows  int
}

// lineRef is a line within its block: its offset, its number of cells, and whether some
// are wide, so that its number of rows can only be computed by decoding it.
type lineRef struct {
	off  uint32
	size uint32 // cells<<1 | wide
}

func (l lineRef) cells() int { return int(l.size >> 1) }
func (l lineRef) wide() bool { return l.size&1 == 1 }

// Records within the encoded text, which has no characters below space.
const (
	recStyle   = 0x01 // fg, bg, attr, link+1 or 0, underline color: uvarints
	recBlank   = 0x02 // number of blank cells
	recCluster = 0x03 // length<<1 | wide, then text
)

func (b *block) size() int { return cap(b.data) + 8*cap(b.lines) + b.cost }

// room returns how many bytes of text still fit in the block.
func (b *block) room() int { return blockSize - len(b.data) - 8*len(b.lines) - b.cost }

// push encodes a row and adds it.
func (s *scrollback) push(t *Terminal, r *row) {
	s.pushed++
	if s.open && s.spacer && !r.at(0).isHead() {
		s.pushCells(t, []Cell{{}}, true)
	}
	cells, wraps := r.text(nil)
	if s.open && len(cells) == 0 {
		cells = r.all()[:1] // so that it remains a separate row
	}
	if s.spacer = wraps && r.hasSpacer(); s.spacer {
		cells = cells[:len(cells)-1]
	}
	s.pushCells(t, cells, wraps)
}

// pushCells adds cells to the last line if that is open, else as a new line.
func (s *scrollback) pushCells(t *Terminal, cells []Cell, wrap bool) {
	if s.limit <= 0 {
		return
	}
	b := s.last()
	if !s.open {
		s.pen = Cell{}
	}
	if b == nil || !s.fits(t, b, cells) {
		b = s.addBlock()
		s.pen = Cell{}
		s.open = false
	}
	before := b.size()
	if !s.open {
		b.lines = append(b.lines, lineRef{off: uint32(len(b.data))})
	}
	line := &b.lines[len(b.lines)-1]
	var wide uint32
	b.data, wide = s.encode(t, b, b.data, cells)
	line.size = line.size + uint32(len(cells))<<1 | wide
	b.width = 0
	s.open = wrap
	s.bytes += b.size() - before
	for s.bytes > s.limit && len(s.blocks) > 1 {
		s.dropFirst()
	}
}

// fits reports whether the cells fit in the block. An empty block accepts any number
// of cells.
func (s *scrollback) fits(t *Terminal, b *block, cells []Cell) bool {
	const most = 24 // nearly always the maximum size of a cell, in bytes
	room := b.room()
	switch {
	case room >= most*len(cells), len(b.lines) == 0:
		return true
	case room < len(cells):
		return false
	}
	pen, links, cost := s.pen, len(b.links), b.cost
	s.enc, _ = s.encode(t, b, s.enc[:0], cells)
	s.pen, b.links, b.cost = pen, b.links[:links], cost
	return len(s.enc) <= room
}

func (s *scrollback) last() *block {
	if len(s.blocks) == 0 {
		return nil
	}
	return s.blocks[len(s.blocks)-1]
}

// addBlock adds a block and reuses the memory of a dropped one if possible.
func (s *scrollback) addBlock() *block {
	b := s.spare
	s.spare = nil
	if b == nil {
		b = &block{}
		if len(s.blocks) > 0 { // the first block starts small
			b.data = make([]byte, 0, blockSize)
		}
	}
	s.blocks = append(s.blocks, b)
	s.bytes += b.size()
	return b
}

func (s *scrollback) dropFirst() {
	b := s.blocks[0]
	s.bytes -= b.size()
	copy(s.blocks, s.blocks[1:])
	s.blocks[len(s.blocks)-1] = nil
	s.blocks = s.blocks[:len(s.blocks)-1]
	if cap(b.data) <= 2*blockSize {
		*b = block{data: b.data[:0], lines: b.lines[:0]}
		s.spare = b
	}
}

func (s *scrollback) clear() {
	*s = scrollback{limit: s.limit, pushed: s.pushed}
}

// encode appends the cells' encoding to dst.
func (s *scrollback) encode(t *Terminal, b *block, dst []byte, cells []Cell) (_ []byte, wide uint32) {
	pen := s.pen
	colors, effects := pen.colors(), pen.effects()
	for i := 0; i < len(cells); i++ {
		c := &cells[i]
		same := c.colors() == colors && c.effects() == effects
		if same && c.ch-1 < utf8.RuneSelf-1 {
			dst = append(dst, byte(c.ch))
			continue
		}
		if c.isTail() {
			continue
		}
		if !same {
			dst = b.appendStyle(t, dst, *c)
			pen = *c
			colors, effects = c.colors(), c.effects()
		}
		switch {
		case c.ch == 0:
			n := 1
			for i+n < len(cells) && cells[i+n] == *c {
				n++
			}
			dst = binary.AppendUvarint(append(dst, recBlank), uint64(n))
			i += n - 1
			continue
		case c.ch < utf8.RuneSelf:
			dst = append(dst, byte(c.ch))
		case c.isCluster():
			text := t.clusters.text(c.ch)
			dst = binary.AppendUvarint(append(dst, recCluster), uint64(len(text))<<1|uint64(c.Width()-1))
			dst = append(dst, text...)
		case within(c.ch, 0x800, 0xffff):
			dst = append(dst, 0xe0|byte(c.ch>>12), 0x80|byte(c.ch>>6)&0xbf, 0x80|byte(c.ch)&0xbf)
		default:
			dst = utf8.AppendRune(dst, rune(c.ch))
		}
		if c.isHead() {
			wide = 1
		}
	}
	s.pen = pen
	return dst, wide
}

func (b *block) appendStyle(t *Terminal, dst []byte, c Cell) []byte {
	dst = append(dst, recStyle)
	dst = binary.AppendUvarint(dst, uint64(c.fg))
	dst = binary.AppendUvarint(dst, uint64(c.bg))
	dst = binary.AppendUvarint(dst, uint64(c.attr&(attrMask|underlineMask)))
	link := 0
	if c.ext != 0 {
		link = b.link(t.extras.at(c.ext)) + 1
	}
	return binary.AppendUvarint(dst, uint64(link))
}

// link returns the index of an extra in the block, and adds it unless it is one of the
// last few.
func (b *block) link(e extra) int {
	for i := len(b.links) - 1; i >= max(0, len(b.links)-16); i-- {
		if b.links[i] == e {
			return i
		}
	}
	b.links = append(b.links, e)
	b.cost += len(e.uri) + len(e.id) + 40
	return len(b.links) - 1
}

// decode appends the cells of line i of the block to dst.
func (b *block) decode(t *Terminal, i int, dst []Cell) []Cell {
	end := len(b.data)
	if i+1 < len(b.lines) {
		end = int(b.lines[i+1].off)
	}
	p := b.data[b.lines[i].off:end]
	uvarint := func() uint64 {
		v, n := binary.Uvarint(p)
		p = p[n:]
		return v
	}
	var pen Cell
	for len(p) > 0 {
		c := p[0]
		switch {
		case within(c, 0x20, utf8.RuneSelf-1):
			pen.ch = uint32(c)
			dst = append(dst, pen)
			p = p[1:]
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRune(p)
			p = p[n:]
			dst = appendWidth(dst, pen, uint32(r), cellWidth(r))
		case c == recStyle:
			p = p[1:]
			pen = Cell{fg: Color(uvarint()), bg: Color(uvarint()), attr: uint16(uvarint())}
			if link := uvarint(); link > 0 {
				pen.ext = t.extras.intern(b.links[link-1])
			}
		case c == recBlank:
			p = p[1:]
			pen.ch = 0
			for range uvarint() {
				dst = append(dst, pen)
			}
		default: // recCluster
			p = p[1:]
			n := uvarint()
			dst = appendWidth(dst, pen, t.clusters.intern(string(p[:n>>1])), int(n&1)+1)
			p = p[n>>1:]
		}
	}
	return dst
}

func appendWidth(dst []Cell, pen Cell, ch uint32, w int) []Cell {
	pen.ch = ch
	if w < 2 {
		return append(dst, pen)
	}
	head, tail := pen, pen
	tail.ch = 0
	head.attr |= wideHead
	tail.attr |= wideTail
	return append(dst, head, tail)
}

// rowsOf returns the number of rows of line i at the given width.
func (b *block) rowsOf(t *Terminal, i, width int) int {
	l := b.lines[i]
	n := l.cells()
	if n <= width {
		return 1
	}
	if !l.wide() {
		return (n + width - 1) / width
	}
	rows := 0
	for rest := b.decode(t, i, nil); len(rest) > 0; rows++ {
		rest = rest[cut(rest, width):]
	}
	return rows
}

// cut returns the number of cells that fit in a row of the given width. The halves of a
// wide character are never separated: a row of one column gets both.
func cut(cells []Cell, width int) int {
	switch {
	case len(cells) <= width:
		return len(cells)
	case !cells[width].isTail():
		return width
	}
	if width == 1 {
		return 2
	}
	return width - 1
}

// count returns the number of rows of the block at the given width.
func (b *block) count(t *Terminal, width int) int {
	if b.width != width {
		b.rows, b.width = 0, width
		for i := range b.lines {
			b.rows += b.rowsOf(t, i, width)
		}
	}
	return b.rows
}

// popLine removes the last line and appends its cells to dst.
func (s *scrollback) popLine(t *Terminal, dst []Cell) (_ []Cell, ok bool) {
	b := s.last()
	if b == nil {
		return dst, false
	}
	n := len(b.lines) - 1
	dst = b.decode(t, n, dst)
	b.data = b.data[:b.lines[n].off]
	b.lines = b.lines[:n]
	b.width = 0
	s.open = false
	if n == 0 {
		s.bytes -= b.size()
		s.blocks = s.blocks[:len(s.blocks)-1]
	}
	return dst, true
}

// ScrollbackLen returns the number of rows in the scrollback at the current width.
func (t *Terminal) ScrollbackLen() int {
	n := 0
	for _, b := range t.history.blocks {
		n += b.count(t, t.cols)
	}
	return n
}

// ScrollbackPushed returns the number of rows that were ever added to the scrollback.
// Without a Resize in between, the difference of two results is the distance that the
// text has scrolled, even if the oldest rows were dropped.
func (t *Terminal) ScrollbackPushed() uint64 { return t.history.pushed }

// ScrollbackRow appends the cells of row i of the scrollback, 0 being the oldest, to
// dst, and reports whether its text continues in the next row, which for the last row
// is the first one of the screen. A row has only as many cells as its text. They are
// valid until the next Write or Resize.
func (t *Terminal) ScrollbackRow(i int, dst []Cell) (cells []Cell, wrapped bool) {
	start := len(dst)
	t.walkScrollback(i, func(row []Cell, w bool) bool {
		dst, wrapped = append(dst[:start], row...), w
		return false
	})
	return dst, wrapped
}

// ScrollbackRows returns the rows of the scrollback from row i on, like
// [Terminal.ScrollbackRow], but faster for many rows. The cells are valid until the
// next row.
func (t *Terminal) ScrollbackRows(i int) iter.Seq2[[]Cell, bool] {
	return func(yield func([]Cell, bool) bool) { t.walkScrollback(i, yield) }
}

// walkScrollback calls f with each row of the scrollback from row i on, until f returns
// false. The cells are valid during the call.
func (t *Terminal) walkScrollback(i int, f func(row []Cell, wrapped bool) bool) {
	if i < 0 {
		return
	}
	s := &t.history
	var line []Cell
	for bi, b := range s.blocks {
		if n := b.count(t, t.cols); i >= n {
			i -= n
			continue
		}
		for l := range b.lines {
			if i > 0 {
				if n := b.rowsOf(t, l, t.cols); i >= n {
					i -= n
					continue
				}
			}
			line = b.decode(t, l, line[:0])
			open := s.open && bi == len(s.blocks)-1 && l == len(b.lines)-1
			for rest, more := line, true; more; i-- {
				n := cut(rest, t.cols)
				row := rest[:n]
				rest = rest[n:]
				more = len(rest) > 0
				if i <= 0 && !f(row, more || open) {
					return
				}
			}
			i = max(i, 0)
		}
	}
}
