package vt

import "fmt"

// enterVT52 is DECANM reset: from here on the terminal is a VT52, until ESC <
// or ESC c, which a VT52 does not have but who cleans up sends.
func (t *Terminal) enterVT52() {
	t.modes.set(modeVT52, true)
	fresh := newCursor()
	t.cur.sets, t.cur.gl, t.cur.single = fresh.sets, fresh.gl, fresh.single
	t.updatePlain()
}

// escapeVT52 acts on ESC and this byte.
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

// positionVT52 takes the row, then the column of ESC Y.
func (t *Terminal) positionVT52(c byte) {
	ps := &t.parser
	if ps.state == vt52Row {
		ps.params[0], ps.state = uint16(c), vt52Column
		return
	}
	ps.state = ground
	t.moveTo(int(c)-' ', int(ps.params[0])-' ')
}

// fromVT52 returns what does on a VT420 what a whole sequence does on a VT52.
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

// functionKeyVT52 is what a named key sends: cursor keys and PF1 to PF4.
func functionKeyVT52(f functionKey) ([]byte, bool) {
	if f.final >= 'A' && f.final <= 'D' || f.ss3 {
		return []byte{0x1b, f.final}, true
	}
	return nil, false
}
