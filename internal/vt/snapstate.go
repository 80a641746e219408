package vt

// savedCursor restores the screen's saved cursor. Margins are not set yet, so positions
// are relative to the corner.
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

// position moves the cursor, relative to x0, y0, and restores a pending wrap at the
// column limit.
func (s *snapshot) position(c *cursor, scr *screen, x0, y0, limit int) {
	x := c.x
	var under Cell
	if c.pending {
		cells := s.t.screens[0].rows[0].all()
		if scr.rows != nil {
			cells = scr.rows[c.y].all()
		}
		if under = cells[c.x]; under.isTail() && c.x == limit {
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

// style sets the state that DECSC saves in addition to the position.
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
	changed := false
	for x, on := range s.t.tabs {
		if on != isDefaultTab(x) {
			changed = true
		}
	}
	if !changed {
		return
	}
	s.put("\x1b[3g")
	for x, on := range s.t.tabs {
		if on {
			s.putf("\x1b[%dG\x1bH", x+1)
		}
	}
}

func (s *snapshot) colors() {
	p := &s.t.palette
	for n := range uint16(maxIndexed) {
		if c, ok := p.indexed[n]; ok {
			s.putf("\x1b]4;%d;%s\x1b\\", n, appendColorSpec(nil, c))
		}
	}
	for i, c := range p.special {
		if c != 0 {
			s.putf("\x1b]%d;%s\x1b\\", 10+i, appendColorSpec(nil, c))
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
	if now := (titles{t.title, t.icon}); now != (titles{}) || len(t.titles) > 0 {
		set(now)
	}
}

// modes sets the modes that differ from the default, after those saved by XTSAVE.
func (s *snapshot) modes() {
	t := s.t
	for _, private := range privateModes {
		n, m := private.number, private.mode
		if m == modeColumns132 {
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
	if t.modes.has(modeKeyboardLock) {
		s.put("\x1b[2h")
	}
	if !t.modes.has(modeSendReceive) {
		s.put("\x1b[12l")
	}
	s.number("\x1b[?%dh", mouseModes[t.mouse])
	s.number("\x1b[?%dh", mouseEncodings[t.mouseEnc])
	s.number("\x1b[>4;%dm", t.modifyKeys)
	s.number("\x1b[%d q", int(t.shape))
	s.number("\x1b[%d#y", int(t.checksums))
	s.number("\x1b[%d*x", int(t.rectExtent))
}

// number appends a sequence that contains n, unless n is zero.
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
		if t.hasSideMargins() {
			s.putf("\x1b[%d;%ds", t.left+1, t.rgt+1)
		}
	}
	if t.bot-t.top < t.rows-1 {
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
	s.repeatable(x0, y0)
}

// vt52 switches to VT52 mode and restores its character set.
func (s *snapshot) vt52() {
	if !s.t.modes.has(modeVT52) {
		return
	}
	s.put("\x1b[?2l")
	if s.t.cur.sets[0] == '0' {
		s.put("\x1bF")
	}
	if s.t.cur.gl == 1 {
		s.put("\x0e")
	}
}

// repeatable writes the last character again if it was the end of the output, because
// REP may repeat it.
func (s *snapshot) repeatable(x0, y0 int) {
	t := s.t
	x, ok := t.previous()
	byRune := t.plain && !t.modes.has(modeGraphemes)
	if t.last == 0 || !ok || !byRune {
		return
	}
	cells := t.scr.rows[t.cur.y].all()
	c := cells[x]
	if t.last >= 0x300 && t.mayJoin(cells[:x]) {
		return
	}
	again := t.cur.pen
	again.ch = uint32(t.last)
	if c.attr &^= widthMask; c != again { // it would look different
		return
	}
	s.putf("\x1b[%d;%dH", t.cur.y-y0+1, x-x0+1)
	s.b = t.appendText(s.b, c)
}
