package vt

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// SnapshotOptions say how much a snapshot holds.
type SnapshotOptions struct {
	Scrollback int // rows of scrollback at most; 0 is none
}

// Private modes of snapshots. Other terminals ignore them and draw the same
// but for what they cannot know.
const (
	snapOneCell = 44727 // set: text up to the reset belongs into one cell
	snapPending = 44728 // set: the cursor waits at the edge to wrap
)

// Snapshot returns a byte string that brings a fresh Terminal of the same size
// into the state of this one: screens, scrollback, cursors, style, margins,
// tabs, character sets, modes, title, colours, and a sequence that is only half
// received. What the application writes next can follow at once. A person's
// terminal can take it too; send it through the [Filter] of the stream.
func (t *Terminal) Snapshot(o SnapshotOptions) []byte {
	s := snapshot{t: t}
	s.prepare()
	s.mainRows(o.Scrollback)
	s.savedCursor(&t.screens[0])
	s.kitty(&t.screens[0].kitty)
	s.alternate()
	s.tabs()
	s.colours()
	s.titles()
	s.pens()
	s.modes()
	s.margins()
	s.cursor()
	s.halfReceived()
	return s.b
}

// snapshot builds the byte string. While rows are drawn the replica is in its
// default modes.
type snapshot struct {
	t *Terminal
	b []byte
}

func (s *snapshot) put(text string)            { s.b = append(s.b, text...) }
func (s *snapshot) putf(f string, args ...any) { s.b = fmt.Appendf(s.b, f, args...) }

// prepare clears the screen and resets what would disturb drawing.
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

// alternate draws the alternate screen, if it was ever used, and ends on the
// screen shown.
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
	var cells []Cell
	for i := first; i < n; i++ {
		r := &row{cells: make([]Cell, t.cols)}
		cells, r.wrap = t.ScrollbackRow(i, cells[:0])
		copy(r.cells, cells)
		if last := &r.cells[t.cols-1]; r.wrap && last.IsBlank() {
			last.attr |= edgeSpacer
		}
		rows = append(rows, r)
	}
	s.rows(append(rows, t.screens[0].rows...))
}

// rows draws rows one after another from the top, scrolling.
func (s *snapshot) rows(rows []*row) {
	var before []Cell // what the text of the row follows directly
	for y, r := range rows {
		s.row(r.cells, before)
		before = nil
		if y == len(rows)-1 {
			break
		}
		// Wrapping is forced in the default style where the next row does not
		// do it by itself, or would fill the row that scrolls in.
		next := rows[y+1].cells[0]
		switch {
		case !r.wraps():
			s.put("\r\n")
		case r.hasSpacer():
			s.putf("\x1b[%dG", len(r.cells))
			before = r.cells[:len(r.cells)-1]
			if first, _ := utf8.DecodeRuneInString(s.t.CellText(next)); RuneWidth(first) < 2 || next.bg != 0 {
				s.cell(Cell{ch: 0x3000}, before)
				s.put("\r\x1b[2X")
				before = nil
			}
		case next.ch == 0 || next.bg != 0:
			s.put(" \r\x1b[X")
		default:
			before = r.cells
		}
	}
}

// row draws cells from the left edge, behind those of the row that wrapped into
// it, and ends in the default style.
func (s *snapshot) row(cells, before []Cell) {
	n := len(trimBlank(cells))
	var pen Cell
	for x := 0; x < n; x++ {
		c := cells[x]
		if c.attr&widthMask == wideTail {
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
		if c.bg != 0 {
			s.putf("\x1b[%dX", run)
		}
		if x += run - 1; x+1 < n {
			s.putf("\x1b[%dC", run)
		}
	}
	s.pen(pen, Cell{})
}

// cell draws the text of one cell, kept apart from what is left of it.
func (s *snapshot) cell(c Cell, before []Cell) {
	apart := c.ch&clusterBit != 0 || isModifier(rune(c.ch))
	for i := len(before) - 1; i >= 0 && !apart; i-- {
		if before[i].attr&widthMask != wideTail {
			apart = before[i].ch&clusterBit != 0 && c.ch >= 0x300
			break
		}
	}
	if !apart {
		s.b = s.t.appendText(s.b, c)
		return
	}
	s.apart(c)
}

// apart draws the text of one cell as one cell.
func (s *snapshot) apart(c Cell) {
	s.putf("\x1b[?%dh", snapOneCell)
	s.b = s.t.appendText(s.b, c)
	s.putf("\x1b[?%dl", snapOneCell)
}

// pen changes the style, protection included.
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

// savedCursor puts into the screen's saved cursor what was there. Margins are
// not yet set, so positions count from the corner.
func (s *snapshot) savedCursor(scr *screen) {
	c := &scr.saved
	if *c == newCursor() {
		return
	}
	if c.origin {
		s.put("\x1b[?6h")
	}
	s.position(c, scr, 0, 0, s.t.cols-1)
	s.style(c)
	s.put("\x1b7")
	s.put("\x1b[?6l\x1b(B\x1b)B\x1b*B\x1b+B\x0f\x1b[0\"q")
	s.pen(c.pen, Cell{})
}

// position moves the cursor, counting from x0, y0, and lets it wait at the edge,
// which text reaches at the column limit.
func (s *snapshot) position(c *cursor, scr *screen, x0, y0, limit int) {
	x := c.x
	var under Cell
	if c.pending {
		cells := s.t.screens[0].rows[0].cells
		if scr.rows != nil {
			cells = scr.rows[c.y].cells
		}
		if under = cells[c.x]; under.attr&widthMask == wideTail && c.x == limit {
			x--
			under = cells[x]
		}
	}
	s.putf("\x1b[%d;%dH", c.y-y0+1, x-x0+1)
	switch {
	case !c.pending:
	case under.ch != 0 && c.x == limit:
		s.pen(Cell{}, under)
		s.apart(under)
		s.pen(under, Cell{})
	default:
		s.putf("\x1b[?%dh", snapPending)
	}
}

// style sets what DECSC saves beside the position.
func (s *snapshot) style(c *cursor) {
	for i, set := range c.sets {
		if set != 'B' {
			s.putf("\x1b%c%c", "()*+"[i], set)
		}
	}
	switch c.gl {
	case 1:
		s.put("\x0e")
	case 2, 3:
		s.putf("\x1b%c", 'n'+c.gl-2)
	}
	s.pen(Cell{}, c.pen)
}

func (s *snapshot) kitty(k *kittyStack) {
	if *k == (kittyStack{}) {
		return
	}
	all := append(append([]KittyFlags{}, k.flags[:k.n]...), k.now)
	s.putf("\x1b[=%du", all[0])
	for _, f := range all[1:] {
		s.putf("\x1b[>%du", f)
	}
}

func (s *snapshot) pens() {
	for _, p := range s.t.pens {
		s.pen(Cell{}, p)
		s.put("\x1b[#{")
		s.pen(p, Cell{})
	}
}

func (s *snapshot) tabs() {
	same := true
	for x, on := range s.t.tabs {
		same = same && on == (x > 0 && x%8 == 0)
	}
	if same {
		return
	}
	s.put("\x1b[3g")
	for x, on := range s.t.tabs {
		if on {
			s.putf("\x1b[%dG\x1bH", x+1)
		}
	}
}

func (s *snapshot) colours() {
	p := &s.t.palette
	for n := range uint16(maxIndexed) {
		if c, ok := p.indexed[n]; ok {
			s.putf("\x1b]4;%d;%s\x1b\\", n, colorSpec(c))
		}
	}
	for i, c := range p.special {
		if c != 0 {
			s.putf("\x1b]%d;%s\x1b\\", 10+i, colorSpec(c))
		}
	}
}

func (s *snapshot) titles() {
	t := s.t
	set := func(v titles) {
		s.putf("\x1b]2;%s\x1b\\\x1b]1;%s\x1b\\", v.title, v.icon)
	}
	for _, v := range t.titles {
		set(v)
		s.put("\x1b[22;0t")
	}
	if t.title != "" || t.icon != "" || len(t.titles) > 0 {
		set(titles{t.title, t.icon})
	}
}

// modes sets what differs from the default, what was kept by XTSAVE first.
func (s *snapshot) modes() {
	t := s.t
	for n := range 2100 {
		m := privateMode(n)
		if m == modeNone || m == modeColumns132 {
			continue
		}
		if t.savedModes.has(m) != defaultModes.has(m) {
			s.putf("\x1b[?%d%c\x1b[?%ds\x1b[?%d%c", n, onChar(t.savedModes.has(m)), n, n, onChar(defaultModes.has(m)))
		}
		if t.modes.has(m) != defaultModes.has(m) && m != modeMargins {
			s.putf("\x1b[?%d%c", n, onChar(t.modes.has(m)))
		}
	}
	if t.modes.has(modeNewLine) {
		s.put("\x1b[20h")
	}
	if !t.modes.has(modeSendReceive) {
		s.put("\x1b[12l")
	}
	s.number("\x1b[?%dh", map[MouseMode]int{MousePress: 9, MouseNormal: 1000, MouseDrag: 1002, MouseMotion: 1003}[t.mouse])
	s.number("\x1b[?%dh", map[MouseEncoding]int{MouseUTF8: 1005, MouseSGR: 1006, MouseURXVT: 1015, MousePixels: 1016}[t.mouseEnc])
	s.number("\x1b[>4;%dm", t.modifyKeys)
	s.number("\x1b[%d q", int(t.shape))
	s.number("\x1b[%d#y", int(t.checksums))
	s.number("\x1b[%d*x", int(t.rectExtent))
	if t.c1 {
		s.put("\x1b G")
	}
}

// number writes a sequence with a number in it unless that is zero.
func (s *snapshot) number(format string, n int) {
	if n != 0 {
		s.putf(format, n)
	}
}

func onChar(on bool) byte {
	if on {
		return 'h'
	}
	return 'l'
}

func (s *snapshot) margins() {
	t := s.t
	if t.modes.has(modeMargins) {
		s.put("\x1b[?69h")
		if t.left > 0 || t.rgt < t.cols-1 {
			s.putf("\x1b[%d;%ds", t.left+1, t.rgt+1)
		}
	}
	if t.top > 0 || t.bot < t.rows-1 {
		s.putf("\x1b[%d;%dr", t.top+1, t.bot+1)
	}
}

func (s *snapshot) cursor() {
	t := s.t
	x0, y0 := 0, 0
	if t.cur.origin {
		s.put("\x1b[?6h")
		x0, y0 = t.left, t.top
	}
	s.position(&t.cur, t.scr, x0, y0, t.rightLimit())
	s.style(&t.cur)
	switch {
	case !t.guarded:
	case t.cur.pen.attr&protectedBit != 0:
		s.put("\x1bV")
	default:
		s.put("\x1bW")
	}
	if t.modes.has(modeInsert) {
		s.put("\x1b[4h")
	}
	if g := t.cur.single; g != 0 {
		s.putf("\x1b%c", 'N'+g-2)
	}
	s.again(x0, y0)
}

// again writes the last character again if nothing came after it, since it may
// be what a REP repeats.
func (s *snapshot) again(x0, y0 int) {
	t := s.t
	x, ok := t.previous()
	if t.last == 0 || !ok || !t.plain || t.modes.has(modeGraphemes) {
		return
	}
	cells := t.scr.rows[t.cur.y].cells
	c := cells[x]
	joins := x > 0 && t.last >= 0x300 && t.mayJoin(cells[:x])
	if c.ch != uint32(t.last) || !c.SameStyle(t.cur.pen) || (c.attr^t.cur.pen.attr)&protectedBit != 0 || joins {
		return
	}
	s.putf("\x1b[%d;%dH", t.cur.y-y0+1, x-x0+1)
	s.b = t.appendText(s.b, c)
}

// halfReceived ends with the begin of the sequence that the stream was cut in.
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
	case csiIgnore:
		s.put("\x1b[1?")
	case stringBody:
		s.b = append(append(s.b, 0x1b, ps.kind), ps.str...)
	case stringIgnore:
		s.ignored()
	case stringEscape:
		if ps.kind == 0 || ps.kind != ']' && ps.kind != 'P' {
			s.ignored()
		} else {
			s.b = append(append(s.b, 0x1b, ps.kind), ps.str...)
		}
		s.put("\x1b")
	}
}

// ignored begins a string that nobody reads.
func (s *snapshot) ignored() {
	if s.t.parser.kind == ']' {
		s.put("\x1b]x;")
		return
	}
	s.put("\x1b_")
}

// ModeReset returns the sequences that leave a person's terminal sane after an
// application drew on it: main screen, whole margins, default style, visible
// cursor, no mouse, no bracketed paste, plain keyboard.
func ModeReset() []byte {
	return []byte("\x1b[?2026l" + // draw again
		"\x1b[<99u\x1b[=0u" + // kitty keyboard of this screen
		"\x1b[?1049l" + // main screen
		"\x1b[<99u\x1b[=0u" +
		"\x1b[!p" + // margins, origin, insert, keys, style
		"\x1b[?69l\x1b[r\x1b[?6l\x1b[?7h\x1b[?5l\x1b[?45l\x1b[4l\x1b[20l" +
		"\x1b[?1l\x1b>" + // cursor keys, keypad
		"\x1b[>4m" + // other keys
		"\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l" +
		"\x1b[?2004l\x1b[?2027l\x1b[?2031l\x1b[?2048l" +
		"\x1b(B\x1b)B\x0f" + // character sets
		"\x1b]8;;\x1b\\\x1b[m\x1b[?25h\x1b[ q" + // link, style, cursor
		"\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\")
}
