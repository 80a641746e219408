package vt

type scanKind uint8

const (
	scanText scanKind = iota
	scanEscape
	scanInter
	scanCSI
	scanString
	scanStringEscape
	scanVT52Row // of ESC Y
	scanVT52Column
)

// scanner finds the end of an escape sequence in a stream, as the parser of a
// terminal does, without understanding it.
type scanner struct {
	kind    scanKind
	osc     bool // the string also ends with BEL
	tooLong bool
	broken  bool // it ended without its proper end
	vt52    bool // sequences are those of a VT52
	begun   bool // an ESC, taken already, ended a string and begins a sequence
}

// isString reports whether the sequence is an OSC, DCS or the like.
func (s *scanner) isString() bool { return s.kind == scanString || s.kind == scanStringEscape }

// reset makes ready for the next sequence and reports whether its ESC has been
// taken already.
func (s *scanner) reset() (begun bool) {
	begun = s.begun
	*s = scanner{vt52: s.vt52}
	if begun {
		s.kind = scanEscape
	}
	return begun
}

// next takes bytes of p that belong to the sequence, which begins with ESC, and
// reports whether it is complete, or broken off.
func (s *scanner) next(p []byte) (n int, done bool) {
	for i, c := range p {
		switch s.kind {
		case scanText:
			s.kind = scanEscape
			continue
		case scanString:
			switch {
			case c == 0x1b:
				s.kind = scanStringEscape
			case c == 0x18, c == 0x1a:
				s.broken = true
				return i + 1, true
			case c == 0x07 && s.osc:
				return i + 1, true
			}
			continue
		case scanStringEscape:
			if c == '\\' {
				return i + 1, true
			}
			s.broken, s.begun = true, true
			return i, true
		}
		switch {
		case c == 0x1b:
			s.broken = true
			return i, true
		case c == 0x18 || c == 0x1a:
			s.broken = true
			return i + 1, true
		case c < 0x20 || c == 0x7f:
			continue
		case s.vt52:
			if c >= 0x80 {
				s.broken = true
				return i, true
			}
			switch {
			case s.kind == scanVT52Row:
				s.kind = scanVT52Column
			case s.kind == scanEscape && c == 'Y':
				s.kind = scanVT52Row
			default:
				return i + 1, true
			}
		case s.kind == scanCSI:
			if c >= 0x40 && c < 0x7f {
				return i + 1, true
			}
			continue
		case c >= 0x80: // text again
			s.broken = true
			return i, true
		case c < 0x30:
			s.kind = scanInter
		case s.kind == scanEscape && c == '[':
			s.kind = scanCSI
		case s.kind == scanEscape && (c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_'):
			s.kind, s.osc = scanString, c == ']'
		default:
			return i + 1, true
		}
	}
	return len(p), false
}
