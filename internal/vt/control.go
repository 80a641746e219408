package vt

import (
	"fmt"
	"strings"
)

// control handles a C0 control character.
func (t *Terminal) control(c byte) {
	t.last = 0
	switch c {
	case 0x07:
		if t.handler.Bell != nil {
			t.handler.Bell()
		}
	case 0x08:
		t.backspace(1)
	case 0x09:
		if t.cur.pending && t.modes.has(modeTabWraps) {
			t.wrap()
		}
		t.tabForward(1)
	case 0x0a, 0x0b, 0x0c:
		t.lineFeed()
		if t.modes.has(modeNewLine) {
			t.carriageReturn()
		}
	case 0x0d:
		t.carriageReturn()
	case 0x0e:
		t.shift(1)
	case 0x0f:
		t.shift(0)
	}
}

// backspace moves the cursor left. With reverse wrap it continues in the row above
// if that wrapped, in the extended mode even if it did not.
func (t *Terminal) backspace(n int) {
	c := &t.cur
	anyRow := t.modes.has(modeReverseWrapOn)
	wrapsBack := anyRow || t.modes.has(modeReverseWrap)
	if !wrapsBack || !t.modes.has(modeAutoWrap) {
		t.backward(n)
		return
	}
	if c.pending {
		c.pending = false
		n--
	}
	step := 0
	for n = min(n, t.cols*t.rows); n > 0; n -= step {
		step = 1
		edge := t.left
		if c.x < t.left {
			edge = 0
		}
		switch {
		case c.x > edge:
			step = min(n, c.x-edge)
			c.x -= step
		case c.y > 0 && !anyRow && !t.scr.rows[c.y-1].wraps():
			return
		case c.y > t.top:
			c.y, c.x = c.y-1, t.rgt
		case c.y == t.top && anyRow:
			c.y, c.x = t.bot, t.rgt
		default:
			return
		}
	}
}

// escape handles ESC, an optional intermediate byte, and a final byte.
func (t *Terminal) escape(c byte) {
	t.last = 0
	switch t.parser.inter {
	case 0:
		t.escapePlain(c)
	case '(', ')', '*', '+':
		t.designate(int(t.parser.inter-'('), c)
	case '-', '.', '/':
		t.designate(int(t.parser.inter-'-')+1, c)
	case '#':
		switch c {
		case '3', '4', '5', '6':
			t.setLineSize(c)
		case '8':
			t.alignmentTest()
		}
	}
}

func (t *Terminal) escapePlain(c byte) {
	switch c {
	case '6':
		if t.cur.x == t.left && t.inMargins() {
			t.shiftColumns(t.left, 1, true)
		} else {
			t.backward(1)
		}
	case '7':
		t.saveCursor()
	case '8':
		t.restoreCursor()
	case '9':
		if t.cur.x == t.rgt && t.inMargins() {
			t.shiftColumns(t.left, 1, false)
		} else {
			t.forward(1)
		}
	case '=', '>':
		t.modes.set(modeAppKeypad, c == '=')
	case 'D':
		t.lineFeed()
	case 'E':
		t.lineFeed()
		t.carriageReturn()
	case 'H':
		t.tabs[t.cur.x], t.tabsSet = true, true
	case 'M':
		t.reverseLineFeed()
	case 'N', 'O':
		t.singleShift(c - 'N' + 2)
	case 'V', 'W': // SPA, EPA
		t.protect(c == 'V')
		t.guarded = true
	case 'Z':
		t.deviceAttributes()
	case 'c':
		t.fullReset()
	case 'n', 'o':
		t.shift(c - 'n' + 2)
	}
}

func (t *Terminal) protect(on bool) {
	t.cur.pen.attr &^= protectedBit
	if on {
		t.cur.pen.attr |= protectedBit
	}
}

func (t *Terminal) fullReset() {
	t.reset()
	t.setTitle("")
	if t.handler.Reset != nil {
		t.handler.Reset()
	}
}

// softReset is DECSTR.
func (t *Terminal) softReset() {
	c := newCursor()
	c.x, c.y = t.cur.x, t.cur.y
	t.cur = c
	t.scr.saved = newCursor()
	for _, m := range []mode{modeInsert, modeAppCursor, modeAppKeypad, modeNewLine, modeReverseWrap, modeReverseWrapOn, modeMargins} {
		t.modes.set(m, false)
	}
	t.modes.set(modeAutoWrap, true)
	t.modes.set(modeCursor, true)
	t.modifyKeys, t.guarded = 0, false
	t.scr.kitty = kittyStack{}
	t.resetMargins()
	t.updatePlain()
}

// alignmentTest is DECALN: it fills the screen with E.
func (t *Terminal) alignmentTest() {
	filled := Cell{ch: 'E'}
	if !t.afford(t.rows) { // now, and when they are erased
		return
	}
	t.scr.erase(0, t.rows, filled)
	t.unwrapBefore(0)
	t.resetMargins()
	t.updatePlain()
	t.cur.origin = false
	t.moveTo(0, 0)
}

// enterVT52 is DECANM reset: the terminal is a VT52 until ESC <, or ESC c, which a VT52
// does not have but programs send to reset the terminal.
func (t *Terminal) enterVT52() {
	t.modes.set(modeVT52, true)
	fresh := newCursor()
	t.cur.sets, t.cur.gl, t.cur.single = fresh.sets, fresh.gl, fresh.single
	t.updatePlain()
}

// escapeVT52 handles ESC and c.
func (t *Terminal) escapeVT52(c byte) {
	ps := &t.parser
	ps.state = ground
	t.last = 0
	switch c {
	case 'A':
		t.up(1)
	case 'B':
		t.down(1)
	case 'C':
		t.forward(1)
	case 'D':
		t.backspace(1)
	case 'F':
		t.designate(0, '0')
	case 'G':
		t.designate(0, 'B')
	case 'H':
		t.moveTo(0, 0)
	case 'I':
		t.reverseLineFeed()
	case 'J':
		t.eraseDisplay(0, false)
	case 'K':
		t.eraseLine(0, false)
	case 'Y':
		ps.state = vt52Row
	case 'Z':
		t.answer("\x1b/Z")
	case '=', '>':
		t.modes.set(modeAppKeypad, c == '=')
	case '<':
		t.modes.set(modeVT52, false)
	case 'c':
		t.fullReset()
	}
}

// positionVT52 handles the row, then the column of ESC Y.
func (t *Terminal) positionVT52(c byte) {
	ps := &t.parser
	if ps.state == vt52Row {
		ps.params[0], ps.state = uint16(c), vt52Column
		return
	}
	ps.state = ground
	t.moveTo(int(c)-' ', int(ps.params[0])-' ')
}

// fromVT52 translates a complete sequence of a VT52 to the equivalent of a VT420.
func fromVT52(s []byte) string {
	switch c := s[1]; c {
	case 'A', 'B', 'C', 'D', 'H', 'J', 'K':
		return "\x1b[" + string(c)
	case 'F':
		return "\x1b(0"
	case 'G':
		return "\x1b(B"
	case 'I':
		return "\x1bM"
	case 'Y':
		return fmt.Sprintf("\x1b[%d;%dH", s[2]-' '+1, s[3]-' '+1)
	case '=', '>', 'c':
		return "\x1b" + string(c)
	}
	return ""
}

// functionKeyVT52 returns the encoding of a named key: cursor keys and PF1 to PF4.
func functionKeyVT52(f functionKey) ([]byte, bool) {
	if within(f.final, 'A', 'D') || f.ss3 {
		return []byte{0x1b, f.final}, true
	}
	return nil, false
}

// replaced are the ASCII characters that national character sets replace.
const replaced = "#@[\\]^_`{|}~"

// national are the national character sets of VT220 and later, by their final
// byte. Except for the British set, they are ASCII unless mode 42 is set. (A map
// would be initialized at every start.)
var national = [256]string{
	'A': "£@[\\]^_`{|}~", // British
	'4': "£¾ĳ½|^_`¨ƒ¼´",  // Dutch
	'C': "#@ÄÖÅÜ_éäöåü",  // Finnish
	'R': "£à°ç§^_`éùè¨",  // French
	'Q': "#àâçêî_ôéùèû",  // French Canadian
	'K': "#§ÄÖÜ^_`äöüß",  // German
	'Y': "£§°çé^_ùàòèì",  // Italian
	'`': "#ÄÆØÅÜ_äæøåü",  // Norwegian, Danish
	'Z': "£§¡Ñ¿^_`°ñç~",  // Spanish
	'7': "#ÉÄÖÅÜ_éäöåü",  // Swedish
	'=': "ùàéçêîèôäöüû",  // Swiss
}

// technical is the DEC technical set from '!' on. Blanks are unassigned.
const technical = "⎷┌─⌠⌡│⎡⎣⎤⎦⎛⎝⎞⎠⎨⎬           ≤≠≥∫∴∝∞÷Δ∇ΦΓ∼≃Θ×Λ⇔⇒≡ΠΨ Σ  √ΩΞΥ⊂⊃∩∪∧∨¬αβχδεφγηιθκλ ν∂πψρστ ƒωξυζ←↑→↓"

// translate maps a character of the left half to the designated set.
func (t *Terminal) translate(r rune) rune {
	c := &t.cur
	set := c.sets[c.gl]
	if c.single != 0 {
		set = c.sets[c.single]
		c.single = 0
		t.updatePlain()
	}
	switch {
	case set == 'B':
	case set == '0' && within(r, 0x5f, 0x7e):
		return []rune(" ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")[r-0x5f]
	case set == '>' && within(r, 0x21, 0x7e):
		if m := []rune(technical)[r-0x21]; m != ' ' {
			return m
		}
	case national[set] == "":
	case set == 'A', t.modes.has(modeNationalSets):
		if i := strings.IndexRune(replaced, r); i >= 0 {
			return []rune(national[set])[i]
		}
	}
	return r
}

// designate is SCS, for G0 to G3. Unsupported sets behave like ASCII.
func (t *Terminal) designate(g int, final byte) {
	switch final {
	case '0', '2':
		final = '0'
	case '5':
		final = 'C'
	case 'f':
		final = 'R'
	case '9':
		final = 'Q'
	case 'E', '6':
		final = '`'
	case 'H':
		final = '7'
	case '>':
	default:
		if national[final] == "" {
			final = 'B'
		}
	}
	t.cur.sets[g] = final
	t.updatePlain()
}

func (t *Terminal) shift(gl uint8) {
	t.cur.gl = gl
	t.updatePlain()
}

func (t *Terminal) singleShift(g uint8) {
	t.cur.single = g
	t.updatePlain()
}
