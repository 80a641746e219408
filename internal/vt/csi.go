package vt

// param returns parameter i, or def if it is missing or zero.
func (t *Terminal) param(i, def int) int {
	if i <= t.parser.n && t.parser.params[i] > 0 {
		return int(t.parser.params[i])
	}
	return def
}

// csi handles a control sequence with the given final byte.
func (t *Terminal) csi(final byte) {
	ps := &t.parser
	plain := ps.prefix == 0 && ps.inter == 0
	if plain && final == 'b' {
		t.repeat(t.param(0, 1))
	}
	t.last = 0 // REP repeats only the character right before it
	switch {
	case plain:
		t.csiPlain(final)
	case ps.prefix == 0:
		t.csiInter(final)
	default:
		t.csiPrivate(final)
	}
}

func (t *Terminal) csiPlain(final byte) {
	c := &t.cur
	switch final {
	case 'm':
		t.sgr()
	case 'H', 'f':
		t.moveTo(t.param(1, 1)-1, t.param(0, 1)-1)
	case 'A':
		t.up(t.param(0, 1))
	case 'B', 'e':
		t.down(t.param(0, 1))
	case 'C', 'a':
		t.forward(t.param(0, 1))
	case 'D', 'j':
		t.backspace(t.param(0, 1))
	case 'E':
		t.down(t.param(0, 1))
		t.carriageReturn()
	case 'F':
		t.up(t.param(0, 1))
		t.carriageReturn()
	case 'G', '`':
		t.moveColumn(t.param(0, 1) - 1)
	case 'd':
		t.moveRow(t.param(0, 1) - 1)
	case 'k':
		t.up(t.param(0, 1))
	case 'I':
		t.tabForward(t.param(0, 1))
	case 'Z':
		t.tabBackward(t.param(0, 1))
	case 'r':
		t.setTopBottom(t.param(0, 1)-1, t.param(1, t.rows)-1)
	case 's':
		if t.modes.has(modeMargins) {
			t.setLeftRight(t.param(0, 1)-1, t.param(1, t.cols)-1)
		} else {
			t.saveCursor()
		}
	case 'u':
		t.restoreCursor()
	case 'g':
		t.tabsSet = true
		switch t.param(0, 0) {
		case 0:
			t.tabs[c.x] = false
		case 3:
			clear(t.tabs)
		}
	case 'h', 'l':
		for i := range t.parser.n + 1 {
			t.setMode(int(t.parser.params[i]), final == 'h')
		}
	case 'c':
		if t.param(0, 0) == 0 {
			t.deviceAttributes()
		}
	case 'n':
		t.deviceStatus(t.param(0, 0))
	case 't':
		t.windowOp()
	case 'x':
		t.terminalParameters()
	default:
		t.csiEdit(final)
	}
}

// csiEdit erases, inserts, deletes and scrolls.
func (t *Terminal) csiEdit(final byte) {
	c := &t.cur
	switch final {
	case 'J':
		t.eraseDisplay(t.param(0, 0), false)
	case 'K':
		t.eraseLine(t.param(0, 0), false)
	case 'X':
		t.eraser(false)(c.y, c.x, min(c.x+t.param(0, 1), t.cols))
		c.pending = false
	case '@', 'P':
		c.pending = false
		switch {
		case !t.inSideMargins():
		case final == '@':
			t.insertCells(c.y, c.x, t.param(0, 1))
		default:
			t.deleteCells(c.y, c.x, t.param(0, 1))
		}
	case 'L', 'M':
		if !t.inMargins() {
			return
		}
		if final == 'L' {
			t.scrollDown(c.y, t.bot, t.param(0, 1))
		} else {
			t.scrollUp(c.y, t.bot, t.param(0, 1), false)
		}
		t.carriageReturn()
	case 'S':
		t.scrollUp(t.top, t.bot, t.param(0, 1), true)
	case 'T', '^':
		if t.parser.n == 0 { // with five parameters it is an old mouse protocol
			t.scrollDown(t.top, t.bot, t.param(0, 1))
		}
	}
}

// csiInter handles control sequences with an intermediate byte.
func (t *Terminal) csiInter(final byte) {
	c := &t.cur
	switch t.parser.inter {
	case ' ':
		switch final {
		case '@':
			if t.inMargins() {
				t.shiftColumns(t.left, t.param(0, 1), false)
			}
		case 'A':
			if t.inMargins() {
				t.shiftColumns(t.left, t.param(0, 1), true)
			}
		case 'q':
			if n := t.param(0, 0); n <= 6 {
				t.shape = uint8(n)
			}
		}
	case '!':
		if final == 'p' {
			t.softReset()
		}
	case '"':
		switch final {
		case 'p':
			t.setConformance(t.param(0, 0))
		case 'q':
			t.protect(t.param(0, 0) == 1)
			t.guarded = false
		}
	case '\'':
		if !t.inMargins() {
			return
		}
		switch final {
		case '}':
			t.shiftColumns(c.x, t.param(0, 1), true)
		case '~':
			t.shiftColumns(c.x, t.param(0, 1), false)
		}
	case '$':
		if final == 'p' {
			t.reportMode(t.param(0, 0), false)
			return
		}
		t.rectangle(final)
	case '*':
		switch final {
		case 'x':
			t.rectExtent = uint8(min(t.param(0, 0), 2))
		case 'y':
			t.reportChecksum()
		}
	case '#':
		t.csiHash(final)
	}
}

// csiPrivate handles control sequences with a prefix.
func (t *Terminal) csiPrivate(final byte) {
	ps := &t.parser
	switch key := uint16(ps.prefix)<<8 | uint16(final); {
	case ps.inter == '$' && key == '?'<<8|'p':
		t.reportMode(t.param(0, 0), true)
	case ps.inter != 0:
	case key == '?'<<8|'h', key == '?'<<8|'l':
		for i := 0; i <= ps.n; i++ {
			t.setPrivateMode(int(ps.params[i]), final == 'h')
		}
	case key == '?'<<8|'s', key == '?'<<8|'r':
		for i := 0; i <= ps.n; i++ {
			t.keepMode(int(ps.params[i]), final == 's')
		}
	case key == '?'<<8|'J':
		t.eraseDisplay(t.param(0, 0), true)
	case key == '?'<<8|'K':
		t.eraseLine(t.param(0, 0), true)
	case key == '?'<<8|'W':
		if t.param(0, 0) == 5 {
			t.defaultTabs()
		}
	case key == '?'<<8|'n':
		t.decStatus(t.param(0, 0))
	case final == 'u':
		t.kittyKeyboard(ps.prefix)
	case key == '>'<<8|'c':
		t.answer("\x1b[>41;%d;0c", emulatedVersion) // DA2: a VT420, the version, no cartridge
	case key == '='<<8|'c':
		t.answer("\x1bP!|00000000\x1b\\") // DA3: the unit's number
	case key == '>'<<8|'q':
		t.answer("\x1bP>|hob\x1b\\")
	case key == '>'<<8|'m':
		t.setModifyKeys()
	case key == '>'<<8|'n':
		if t.param(0, 0) == 4 {
			t.modifyKeys = 0
		}
	case key == '?'<<8|'m':
		t.reportModifyKeys()
	}
}

func (t *Terminal) moveColumn(x int) {
	c := &t.cur
	c.pending = false
	if c.origin {
		c.x = clamp(x+t.left, t.left, t.rgt)
		return
	}
	c.x = clamp(x, 0, t.cols-1)
}

func (t *Terminal) moveRow(y int) {
	c := &t.cur
	c.pending = false
	if c.origin {
		c.y = clamp(y+t.top, t.top, t.bot)
		return
	}
	c.y = clamp(y, 0, t.rows-1)
}

// setTopBottom is DECSTBM.
func (t *Terminal) setTopBottom(top, bot int) {
	bot = min(bot, t.rows-1)
	if top >= bot {
		return
	}
	t.top, t.bot = top, bot
	t.moveTo(0, 0)
}

// setLeftRight is DECSLRM.
func (t *Terminal) setLeftRight(left, right int) {
	right = min(right, t.cols-1)
	if left >= right {
		return
	}
	t.left, t.rgt = left, right
	t.updatePlain()
	t.moveTo(0, 0)
}

// setConformance is DECSCL. Replies never use 8-bit controls.
func (t *Terminal) setConformance(level int) {
	if !within(level, 61, 65) {
		return
	}
	t.softReset()
	t.conformance = min(level-60, 4)
}

// eraser returns the function that erases columns of a row.
func (t *Terminal) eraser(selective bool) func(y, a, b int) {
	if t.sparesProtected(selective) {
		return t.eraseUnprotected
	}
	return t.erase
}

// sparesProtected reports whether an erasing sequence leaves protected characters. Selective
// sequences do, other sequences only if the characters are protected by SPA.
func (t *Terminal) sparesProtected(selective bool) bool { return selective || t.guarded }

// eraseDisplay is ED and DECSED.
func (t *Terminal) eraseDisplay(what int, selective bool) {
	c := &t.cur
	erase := t.eraseRows
	if t.sparesProtected(selective) {
		erase = func(a, b int) {
			if !t.afford((b - a) * rowPrice) {
				return
			}
			for y := a; y < b; y++ {
				t.eraseUnprotected(y, 0, t.cols)
				if !selective {
					t.scr.rows[y].size = singleWidth
				}
			}
		}
	}
	switch what {
	case 0:
		if c.x == 0 && !selective {
			t.scr.row(c.y).size = singleWidth
		}
		t.eraseLine(0, selective)
		erase(c.y+1, t.rows)
	case 1:
		erase(0, c.y)
		t.eraseLine(1, selective)
	case 2:
		erase(0, t.rows)
	case 3:
		if !selective {
			t.history.clear()
		}
	}
}

// eraseLine is EL and DECSEL. It does not change a pending wrap. The character at
// the edge is not right of the cursor then.
func (t *Terminal) eraseLine(what int, selective bool) {
	c := &t.cur
	erase := t.eraser(selective)
	switch what {
	case 0:
		if !c.pending {
			erase(c.y, c.x, t.cols)
		}
	case 1:
		erase(c.y, 0, c.x+1)
	case 2:
		erase(c.y, 0, t.cols)
	}
}
