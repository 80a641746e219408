package vt

import (
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// Color is a terminal color: the default (zero), one of 256 indexed colors, or
// a direct color of red, green and blue.
type Color uint32

const (
	colorIndexed Color = 1 << 24
	colorRGB     Color = 2 << 24
	colorKind    Color = 3 << 24
)

// Indexed returns color n of the palette: 0 to 7, bright 8 to 15, then the cube
// and the grays up to 255.
func Indexed(n uint8) Color { return colorIndexed | Color(n) }

// RGB returns a direct color.
func RGB(r, g, b uint8) Color {
	return colorRGB | Color(r)<<16 | Color(g)<<8 | Color(b)
}

// Index returns the palette index of an indexed color.
func (c Color) Index() (n uint8, ok bool) { return uint8(c), c&colorKind == colorIndexed }

// RGB returns the components of a direct color.
func (c Color) RGB() (r, g, b uint8, ok bool) {
	return uint8(c >> 16), uint8(c >> 8), uint8(c), c&colorKind == colorRGB
}

type Attr uint8

const (
	Bold Attr = 1 << iota
	Faint
	Italic
	Blink
	Reverse
	Hidden
	Strike
	Overline
)

// Underline is a kind of underline.
type Underline uint8

// The kinds of underline, numbered as in SGR 4:n.
const (
	UnderlineNone Underline = iota
	UnderlineSingle
	UnderlineDouble
	UnderlineCurly
	UnderlineDotted
	UnderlineDashed
)

type Style struct {
	Fg, Bg         Color
	UnderlineColor Color
	Attrs          Attr
	Underline      Underline
}

// Cell is one position of the screen, packed into 16 bytes. The zero Cell is
// blank. A wide character is a cell of width 2 followed by one of width 0.
// Texts of several runes, underline colors and links are stored in tables of the
// Terminal; see [Terminal.CellText], [Terminal.Style] and [Terminal.Link].
type Cell struct {
	ch   uint32 // rune, or clusterBit and an index; 0 where nothing was written
	fg   Color
	bg   Color
	attr uint16 // Attr, then underline, protected and width bits
	ext  uint16 // index into the table of extras; 0 is none
}

const (
	clusterBit = 1 << 31

	attrMask       = 0x00ff
	underlineShift = 8
	underlineMask  = 7 << underlineShift
	protectedBit   = 1 << 11
	widthMask      = 3 << 12
	wideHead       = 1 << 12 // first half of a wide character
	wideTail       = 2 << 12 // its second half
	edgeSpacer     = 3 << 12 // blank at the edge: a wide character moved to the next row
)

// Width returns the number of columns: 1, 2, or 0 for the second half of a wide
// character.
func (c Cell) Width() int {
	switch c.attr & widthMask {
	case wideHead:
		return 2
	case wideTail:
		return 0
	}
	return 1
}

// IsBlank reports whether nothing was written to the cell since it was erased.
// A blank cell may have a background.
func (c Cell) IsBlank() bool { return c.ch == 0 && !c.isTail() }

// Rune returns the character, a space for a blank cell, 0 for the second half
// of a wide one. For a text of several runes it returns 0 and false; see
// [Terminal.CellText].
func (c Cell) Rune() (r rune, single bool) {
	switch {
	case c.isCluster():
		return 0, false
	case c.isTail():
		return 0, true
	case c.ch == 0:
		return ' ', true
	}
	return rune(c.ch), true
}

// SameStyle reports whether two cells of one Terminal are drawn in the same
// style with the same link. It is cheaper than comparing styles.
func (c Cell) SameStyle(d Cell) bool { return c.colors() == d.colors() && c.effects() == d.effects() }

// colors and effects are the two halves of the style, for comparisons.
func (c *Cell) colors() uint64 { return uint64(c.fg)<<32 | uint64(c.bg) }
func (c *Cell) effects() uint32 {
	return uint32(c.ext)<<16 | uint32(c.attr&(attrMask|underlineMask))
}

// isTail reports whether the cell is the second half of a wide character.
func (c Cell) isTail() bool { return c.attr&widthMask == wideTail }

// isHead reports whether the cell is the first half of a wide character.
func (c Cell) isHead() bool { return c.attr&widthMask == wideHead }

// isCluster reports whether the text of the cell has several runes.
func (c Cell) isCluster() bool { return c.ch&clusterBit != 0 }

// isWritten reports whether the cell must be kept at the end of a line, because
// it has a character or a background. Blanks have no other style.
func (c Cell) isWritten() bool {
	return c.bg != 0 || !c.IsBlank()
}

// CellText returns the text of a cell of this Terminal: " " for a blank one,
// "" for the second half of a wide character. Its [Width] is the cell's.
func (t *Terminal) CellText(c Cell) string {
	if c.isCluster() {
		return t.clusters.text(c.ch)
	}
	r, _ := c.Rune()
	if r == 0 {
		return ""
	}
	return string(r)
}

// Style returns how a cell of this Terminal is drawn.
func (t *Terminal) Style(c Cell) Style {
	s := Style{
		Fg:        c.fg,
		Bg:        c.bg,
		Attrs:     Attr(c.attr & attrMask),
		Underline: Underline(c.attr & underlineMask >> underlineShift),
	}
	if c.ext != 0 {
		s.UnderlineColor = t.extras.at(c.ext).underline
	}
	return s
}

// Link returns the target of the hyperlink that the cell is part of, or "".
func (t *Terminal) Link(c Cell) string {
	if c.ext == 0 {
		return ""
	}
	return t.extras.at(c.ext).uri
}

// RuneWidth returns the number of columns of a single rune: 0, 1 or 2.
func RuneWidth(r rune) int {
	switch {
	case r < 0x7f:
		if r < 0x20 {
			return 0
		}
		return 1
	case within(r, 0xa1, 0xac), within(r, 0xae, 0x2ff):
		return 1
	case within(r, 0x300, 0x36f): // combining
		return 0
	case within(r, 0x2500, 0x25fc): // boxes and blocks
		return 1
	case within(r, 0x3041, 0x3096), within(r, 0x30a1, 0x30fa), // kana
		within(r, 0x4e00, 0x9fff), // CJK ideographs
		within(r, 0xac00, 0xd7a3): // Hangul
		return 2
	case r == utf8.RuneError:
		return 1
	case within(r, 0x391, 0x3a1), within(r, 0x3a3, 0x3c9), within(r, 0x400, 0x482): // Greek, Cyrillic
		return 1
	}
	return displaywidth.Rune(r)
}

// cellWidth is RuneWidth, except that the second and third parts of a Hangul
// syllable have width 0, because they share the cell of the first part.
func cellWidth(r rune) int {
	if within(r, 0x1160, 0x11ff) || within(r, 0xd7b0, 0xd7fb) {
		return 0
	}
	return RuneWidth(r)
}

// lineSize is the size of the characters of a row. It is stored and included in
// snapshots, but does not affect the text: all rows have the same number of columns.
type lineSize uint8

// The sizes: DECSWL, DECDWL, and the two halves of DECDHL.
const (
	singleWidth lineSize = iota
	doubleWidth
	doubleHeightTop
	doubleHeightBottom
)

// setLineSize is ESC # 3 to 6.
func (t *Terminal) setLineSize(final byte) {
	t.scr.row(t.cur.y).size = [4]lineSize{doubleHeightTop, doubleHeightBottom, singleWidth, doubleWidth}[final-'3']
}

// lineSize sets the size of the cursor's row.
func (s *snapshot) lineSize(size lineSize) {
	if size != singleWidth {
		s.putf("\x1b#%d", [4]int{5, 6, 3, 4}[size])
	}
}

const (
	maxClusterBytes = 64  // further runes of a cluster are dropped
	minTableLimit   = 256 // entries before the first collection
	maxExtras       = 0xff00
)

// clusterTable interns the texts of several runes that cells refer to.
type clusterTable struct {
	texts []string
	index map[string]uint32
	limit int // collect when there are more
}

func (ct *clusterTable) text(ch uint32) string { return ct.texts[ch&^clusterBit] }

func (ct *clusterTable) intern(s string) uint32 {
	if i, ok := ct.index[s]; ok {
		return i
	}
	if ct.index == nil {
		ct.index = make(map[string]uint32)
	}
	i := uint32(len(ct.texts)) | clusterBit
	ct.texts = append(ct.texts, s)
	ct.index[s] = i
	return i
}

// extra has properties that few cells have: an underline color and a link. The id
// identifies cells of the same link.
type extra struct {
	underline Color
	uri, id   string
}

// extraTable interns extras; index 0 is the empty one.
type extraTable struct {
	list  []extra
	index map[extra]uint16
	limit int
}

func (et *extraTable) at(i uint16) extra {
	if int(i) >= len(et.list) {
		return extra{}
	}
	return et.list[i]
}

// intern returns 0, the empty extra, if the table is full.
func (et *extraTable) intern(e extra) uint16 {
	if e == (extra{}) {
		return 0
	}
	if i, ok := et.index[e]; ok {
		return i
	}
	if et.index == nil {
		et.index = make(map[extra]uint16)
		et.list = make([]extra, 1)
	}
	if len(et.list) > 0xffff {
		return 0
	}
	i := uint16(len(et.list))
	et.list = append(et.list, e)
	et.index[e] = i
	return i
}

// collectTables drops entries that are not referenced by a cell on a screen or a pen.
// It is called only by Write, which invalidates cells that callers have.
func (t *Terminal) collectTables() {
	clusters, extras := t.clusters, t.extras
	t.clusters, t.extras = clusterTable{}, extraTable{}
	move := func(c *Cell) {
		if c.isCluster() {
			c.ch = t.clusters.intern(clusters.text(c.ch))
		}
		if c.ext != 0 {
			c.ext = t.extras.intern(extras.at(c.ext))
		}
	}
	for i := range t.screens {
		s := &t.screens[i]
		for _, r := range s.rows {
			for x := range r.used {
				move(&r.stored[x])
			}
			move(&r.fill)
		}
		move(&s.saved.pen)
	}
	move(&t.cur.pen)
	for i := range t.pens {
		move(&t.pens[i])
	}
	t.clusters.limit = max(minTableLimit, 2*len(t.clusters.texts))
	t.extras.limit = max(minTableLimit, 2*len(t.extras.list))
}

func (t *Terminal) internCluster(text []byte) uint32 {
	if i, ok := t.clusters.index[string(text)]; ok {
		return i
	}
	if len(t.clusters.texts) >= max(minTableLimit, t.clusters.limit) {
		t.collectTables()
	}
	return t.clusters.intern(string(text))
}

func (t *Terminal) internExtra(e extra) uint16 {
	if full := min(maxExtras, max(minTableLimit, t.extras.limit)); len(t.extras.list) >= full {
		t.collectTables()
	}
	return t.extras.intern(e)
}

// appendText appends the text of a cell, a space for a blank one.
func (t *Terminal) appendText(b []byte, c Cell) []byte {
	switch {
	case c.isCluster():
		return append(b, t.clusters.text(c.ch)...)
	case c.isTail():
		return b
	case c.ch == 0:
		return append(b, ' ')
	}
	return utf8.AppendRune(b, rune(c.ch))
}
