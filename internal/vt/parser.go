package vt

import "unicode/utf8"

type state uint8

const (
	ground state = iota
	escape
	escapeInter
	csiParams
	csiIgnore
	stringBody   // OSC or DCS, collected
	stringIgnore // unsupported DCS, SOS, PM, APC
	stringEscape // ESC within a string
	vt52Row      // of ESC Y
	vt52Column
)

const (
	maxParams  = 32
	maxParam   = 65535
	maxString  = 1 << 20 // bytes of an OSC or DCS; longer ones are dropped
	keepString = 4 << 10 // capacity of the buffer that is kept for reuse
)

// parser is the state of parsing between two bytes.
type parser struct {
	state  state
	prefix byte // '<', '=', '>', '?'
	inter  byte // intermediate byte; 0xff for two, which no sequence has
	params [maxParams]uint16
	n      int    // index of the last parameter
	colon  uint32 // bit i: parameter i follows a colon
	given  bool   // any parameter byte was seen
	kind   byte   // string: ']' or 'P'
	str    []byte
	utf8   [utf8.UTFMax]byte // an incomplete character
	nutf8  int
}

// Write interprets the application's output. It never fails.
func (t *Terminal) Write(p []byte) (int, error) {
	n := len(p)
	t.credit = min(t.credit+cellsPerByte*n, maxCredit)
	for len(p) > 0 {
		switch t.parser.state {
		case ground:
			p = t.ground(p)
		case csiParams:
			p = t.csiBytes(p)
		case stringBody, stringIgnore:
			p = t.stringBytes(p)
		default:
			t.step(p[0])
			p = p[1:]
		}
	}
	t.flushReplies()
	return n, nil
}

// ground handles text and control characters up to an escape sequence.
func (t *Terminal) ground(p []byte) []byte {
	for len(p) > 0 {
		c := p[0]
		switch {
		case t.parser.nutf8 > 0:
			t.continueRune(c)
			p = p[1:]
			if t.parser.state != ground {
				return p
			}
		case c-0x20 < 0x5f:
			if t.plain {
				p = t.printPlain(p)
				continue
			}
			t.print(rune(c))
			p = p[1:]
		case c >= 0x80:
			if rest := t.printText(p); len(rest) < len(p) {
				p = rest
				continue
			}
			r, n := utf8.DecodeRune(p)
			if n == 1 {
				t.continueRune(c)
			} else {
				t.printUnicode(r)
			}
			p = p[n:]
		case c == 0x1b:
			if len(p) > 1 && p[1] == '[' && !t.modes.has(modeVT52) {
				t.beginCSI()
				return p[2:]
			}
			t.beginEscape()
			return p[1:]
		default:
			t.control(c)
			p = p[1:]
		}
	}
	return p
}

// printUnicode writes a character beyond ASCII. C1 controls in UTF-8 are ignored.
func (t *Terminal) printUnicode(r rune) {
	if r >= 0xa0 {
		t.print(r)
	}
}

// continueRune handles a byte of an incomplete or invalid character. The longest
// prefix of a valid character becomes a single U+FFFD.
func (t *Terminal) continueRune(c byte) {
	ps := &t.parser
	if ps.nutf8 > 0 && !continues(ps.utf8[:ps.nutf8], c) {
		ps.nutf8 = 0
		t.print(utf8.RuneError)
	}
	switch {
	case ps.nutf8 > 0, within(c, 0xc2, 0xf4):
		ps.utf8[ps.nutf8] = c
		ps.nutf8++
		if utf8.FullRune(ps.utf8[:ps.nutf8]) {
			r, _ := utf8.DecodeRune(ps.utf8[:ps.nutf8])
			ps.nutf8 = 0
			t.printUnicode(r)
		}
	case c >= 0x80:
		t.print(utf8.RuneError)
	default:
		t.ground([]byte{c})
	}
}

// continues reports whether c may follow the beginning of a UTF-8 sequence.
func continues(begin []byte, c byte) bool {
	lo, hi := byte(0x80), byte(0xbf)
	if len(begin) == 1 {
		switch begin[0] {
		case 0xe0:
			lo = 0xa0
		case 0xed:
			hi = 0x9f
		case 0xf0:
			lo = 0x90
		case 0xf4:
			hi = 0x8f
		}
	}
	return within(c, lo, hi)
}

func (t *Terminal) beginEscape() {
	t.parser.state, t.parser.inter = escape, 0
}

func (t *Terminal) beginCSI() {
	ps := &t.parser
	ps.state = csiParams
	ps.prefix, ps.inter, ps.n, ps.colon, ps.given = 0, 0, 0, 0, false
	ps.params[0] = 0
}

// numbers parses numbers and semicolons at the beginning of p and returns their length
// in bytes.
func (ps *parser) numbers(p []byte) int {
	n, v := ps.n, uint(ps.params[ps.n])
	i := 0
	for ; i < len(p); i++ {
		if d := p[i] - '0'; d < 10 {
			v = min(v*10+uint(d), maxParam)
		} else if p[i] == ';' && n < maxParams-1 {
			ps.params[n] = uint16(v)
			n++
			v = 0
		} else {
			break
		}
	}
	ps.params[n], ps.n = uint16(v), n
	if i > 0 {
		ps.given = true
	}
	return i
}

// csiBytes parses bytes of a control sequence and returns the bytes after its end.
func (t *Terminal) csiBytes(p []byte) []byte {
	ps := &t.parser
	if ps.inter == 0 {
		p = p[ps.numbers(p):]
	}
	for i, c := range p {
		switch {
		case within(c, 0x30, 0x3f) && ps.inter != 0: // a parameter may not follow
			ps.state = csiIgnore
			return p[i+1:]
		case c-'0' < 10:
			v := uint(ps.params[ps.n])*10 + uint(c-'0')
			ps.params[ps.n] = uint16(min(v, maxParam))
			ps.given = true
		case c == ';', c == ':':
			ps.given = true
			if ps.n == maxParams-1 {
				ps.state = csiIgnore
				return p[i+1:]
			}
			ps.n++
			ps.params[ps.n] = 0
			if c == ':' {
				ps.colon |= 1 << ps.n
			}
		case within(c, 0x40, 0x7e):
			ps.state = ground
			t.csi(c)
			return p[i+1:]
		case within(c, 0x3c, 0x3f):
			if ps.given || ps.prefix != 0 {
				ps.state = csiIgnore
				return p[i+1:]
			}
			ps.prefix = c
		case within(c, 0x20, 0x2f):
			ps.collect(c)
		case c >= 0x7f: // not part of it
		default:
			if t.interrupt(c) {
				return p[i+1:]
			}
		}
	}
	return nil
}

func (ps *parser) collect(c byte) {
	if ps.inter != 0 {
		c = 0xff
	}
	ps.inter = c
}

// interrupt handles a control character within a sequence and reports whether that
// ends the sequence.
func (t *Terminal) interrupt(c byte) bool {
	switch c {
	case 0x18, 0x1a:
		t.parser.state = ground
	case 0x1b:
		t.beginEscape()
	default:
		t.control(c)
		return false
	}
	return true
}

// step handles one byte in the states other than ground, CSI and strings.
func (t *Terminal) step(c byte) {
	ps := &t.parser
	if ps.state == stringEscape {
		if c == '\\' {
			t.endString("\x1b\\")
			return
		}
		t.endString("")
		t.beginEscape()
	}
	if c < 0x20 {
		t.interrupt(c)
		return
	}
	if c >= 0x7f {
		if c >= 0x80 && ps.state != csiIgnore { // text again
			ps.state = ground
			t.ground([]byte{c})
		}
		return
	}
	switch ps.state {
	case escape, escapeInter:
		t.escapeByte(c)
	case vt52Row, vt52Column:
		t.positionVT52(c)
	case csiIgnore:
		if c >= 0x40 {
			ps.state = ground
		}
	}
}

func (t *Terminal) escapeByte(c byte) {
	ps := &t.parser
	switch {
	case t.modes.has(modeVT52):
		t.escapeVT52(c)
	case c < 0x30:
		ps.collect(c)
		ps.state = escapeInter
	case ps.state == escapeInter:
		ps.state = ground
		t.escape(c)
	case c == '[':
		t.beginCSI()
	case c == ']', c == 'P':
		ps.state, ps.kind, ps.str = stringBody, c, ps.str[:0]
		t.last = 0
	case beginsString(c): // SOS, PM or APC
		ps.state, ps.kind = stringIgnore, c
		t.last = 0
	default:
		ps.state = ground
		t.escape(c)
	}
}

// stringBytes handles bytes of an OSC, DCS or ignored string.
func (t *Terminal) stringBytes(p []byte) []byte {
	ps := &t.parser
	i := 0
	for i < len(p) && p[i] >= 0x20 {
		i++
	}
	if ps.state == stringBody {
		if len(ps.str)+i > maxString {
			ps.state, ps.str = stringIgnore, nil
		} else {
			ps.str = append(ps.str, p[:i]...)
		}
		if ps.kind == 'P' && len(ps.str) > 1 && ps.str[1] != 'q' {
			ps.state, ps.kind = stringIgnore, 0 // only queries are supported
		}
	}
	if i == len(p) {
		return nil
	}
	switch p[i] {
	case 0x1b:
		if ps.state == stringIgnore {
			ps.kind = 0
		}
		ps.state = stringEscape
	case 0x18, 0x1a:
		ps.state = ground
	case 0x07:
		if ps.kind == ']' {
			if ps.state == stringIgnore {
				ps.kind = 0
			}
			t.endString("\a")
		}
	}
	return p[i+1:]
}

// endString handles the collected string. end is what ended it, "" if it was aborted.
func (t *Terminal) endString(end string) {
	ps := &t.parser
	ps.state = ground
	if end != "" {
		switch ps.kind {
		case ']':
			t.osc(ps.str, end)
		case 'P':
			t.dcs(ps.str)
		}
	}
	if cap(ps.str) > keepString {
		ps.str = nil
	}
}
