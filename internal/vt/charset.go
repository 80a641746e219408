package vt

// translate maps a character of the left half by the designated set.
func (t *Terminal) translate(r rune) rune {
	c := &t.cur
	set := c.sets[c.gl]
	if c.single != 0 {
		set = c.sets[c.single]
		c.single = 0
		t.updatePlain()
	}
	switch {
	case set == '0' && r >= 0x5f && r <= 0x7e:
		return []rune(" ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")[r-0x5f]
	case set == 'A' && r == '#':
		return '£'
	}
	return r
}

// designate is SCS: set G0 to G3. Sets we do not have behave as ASCII.
func (t *Terminal) designate(g int, final byte) {
	switch final {
	case '0', '2':
		final = '0'
	case 'A':
	default:
		final = 'B'
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
