package logfile

// An action is the effect of a byte on the line.
type action uint8

const (
	actNone action = iota
	actPrint
	actRight
	actLeft
	actColumn
	actErase
)

type escState uint8

const (
	escGround    escState = iota
	escEscape             // after ESC
	escInter              // after ESC and an intermediate byte
	escCSI                // in a control sequence
	escString             // in OSC, DCS, APC, PM or SOS
	escStringEsc          // after ESC in one of those
)

// maxParam limits a parameter of a sequence, so that it cannot overflow.
const maxParam = 1 << 20

// escapeParser parses escape sequences byte by byte, so that input may be split anywhere.
type escapeParser struct {
	state escState
	param int  // the sequence's first parameter
	first bool // still in the first parameter
	plain bool // no private marker and no intermediate byte so far
	osc   bool // the string may also end with BEL
}

func (e *escapeParser) ground() bool { return e.state == escGround }

// other handles a character outside ASCII and reports whether it is text.
func (e *escapeParser) other() bool {
	switch e.state {
	case escString:
		return false
	case escStringEsc:
		e.state = escString
		return false
	}
	e.state = escGround
	return true
}

// next handles an ASCII byte. actPrint means that it is not part of a sequence but text or
// a control character.
func (e *escapeParser) next(b byte) action {
	switch {
	case b == 0x1B:
		if e.state == escString {
			e.state = escStringEsc
			return actNone
		}
		e.state = escEscape
		return actNone
	case b == 0x18 || b == 0x1A: // CAN, SUB
		e.state = escGround
		return actNone
	}
	switch e.state {
	case escStringEsc:
		if b == '\\' {
			e.state = escGround
			return actNone
		}
		// Another sequence ends the string.
		e.state = escEscape
		return e.next(b)
	case escString:
		if b == 0x07 && e.osc {
			e.state = escGround
		}
		return actNone
	case escEscape, escInter:
		return e.escape(b)
	case escCSI:
		return e.csi(b)
	}
	return actPrint
}

func (e *escapeParser) escape(b byte) action {
	switch {
	case b < 0x20: // a control character within a sequence takes effect at once
		return actPrint
	case b < 0x30:
		e.state = escInter
		return actNone
	case e.state == escInter:
	case b == '[':
		e.startCSI()
		return actNone
	case b == ']', b == 'P', b == 'X', b == '^', b == '_':
		e.state, e.osc = escString, b == ']'
		return actNone
	}
	e.state = escGround
	return actNone
}

func (e *escapeParser) startCSI() {
	e.state, e.param, e.first, e.plain = escCSI, 0, true, true
}

func (e *escapeParser) csi(b byte) action {
	switch {
	case b < 0x20:
		return actPrint
	case b >= '0' && b <= '9':
		if e.first {
			e.param = min(e.param*10+int(b-'0'), maxParam)
		}
		return actNone
	case b == ';' || b == ':':
		e.first = false
		return actNone
	case b < 0x40 || b == 0x7F:
		e.plain = e.plain && b == 0x7F
		return actNone
	}
	e.state = escGround
	if !e.plain {
		return actNone
	}
	switch b {
	case 'C', 'a':
		return actRight
	case 'D':
		return actLeft
	case 'G', '`':
		return actColumn
	case 'K':
		return actErase
	}
	return actNone
}

// c1 takes a control character from U+0080 to U+009F.
func (e *escapeParser) c1(c byte) action {
	switch {
	case c == 0x9C: // ST
		e.state = escGround
	case e.state == escString || e.state == escStringEsc:
		e.state = escString
	case c == 0x9B:
		e.startCSI()
	case c == 0x9D, c == 0x90, c == 0x98, c == 0x9E, c == 0x9F:
		e.state, e.osc = escString, c == 0x9D
	default:
		e.state = escGround
	}
	return actNone
}
