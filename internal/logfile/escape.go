package logfile

// An action is what a byte asks of the line.
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
	escString             // in OSC, DCS, APC, PM or SOS, to its end
	escStringEsc          // after ESC in one of these
)

// maxParam bounds a sequence's parameter: columns beyond it do not exist.
const maxParam = 1 << 20

// escapes follows escape sequences byte by byte, so that it does not matter
// where its input was cut.
type escapes struct {
	state escState
	param int  // the sequence's first parameter
	first bool // still in the first parameter
	plain bool // no private marker and no intermediate byte so far
	osc   bool // the string ends with BEL too
}

func (e *escapes) ground() bool { return e.state == escGround }

// other takes a character from outside ASCII and says whether it is text.
func (e *escapes) other() bool {
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

// next takes an ASCII byte. actPrint means that it is not part of a sequence,
// be it text or a control character.
func (e *escapes) next(b byte) action {
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
		// The string was cut short by another sequence.
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

func (e *escapes) escape(b byte) action {
	switch {
	case b < 0x20: // a control character within a sequence acts at once
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

func (e *escapes) startCSI() {
	e.state, e.param, e.first, e.plain = escCSI, 0, true, true
}

func (e *escapes) csi(b byte) action {
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
func (e *escapes) c1(c byte) action {
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
