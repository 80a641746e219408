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

// Scanner finds the end of each escape sequence in a stream, as a Terminal does, without
// interpreting it. Everything that leaves out, holds back or passes on sequences uses it, so that
// all agree on what is text. The zero value is ready to use.
type Scanner struct {
	kind   scanKind
	osc    bool // the string also ends with BEL
	broken bool
	vt52   bool // sequences are those of a VT52
	begun  bool // an ESC that was read already ended a string and begins a sequence
}

// Ground reports whether no sequence has begun.
func (s *Scanner) Ground() bool { return s.kind == scanText }

// InCSI reports whether the sequence is a control sequence.
func (s *Scanner) InCSI() bool { return s.kind == scanCSI }

// InString reports whether the sequence is an OSC, DCS or another string.
func (s *Scanner) InString() bool { return s.kind == scanString || s.kind == scanStringEscape }

// Broken reports whether the sequence was aborted.
func (s *Scanner) Broken() bool { return s.broken }

// Reset prepares for the next sequence and reports whether its ESC was read already. It is called
// when Next has found an end.
func (s *Scanner) Reset() (begun bool) {
	begun = s.begun
	*s = Scanner{vt52: s.vt52}
	if begun {
		s.kind = scanEscape
	}
	return begun
}

// Next returns the number of bytes of p that belong to the sequence, which begins with
// ESC, and whether it is complete or aborted.
func (s *Scanner) Next(p []byte) (n int, done bool) {
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
		case c == 0x18, c == 0x1a:
			s.broken = true
			return i + 1, true
		case isControl(c):
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
			if within(c, 0x40, 0x7e) {
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
		case s.kind == scanEscape && beginsString(c):
			s.kind, s.osc = scanString, c == ']'
		default:
			return i + 1, true
		}
	}
	return len(p), false
}

// isControl reports whether c is a C0 control character or DEL.
func isControl[T byte | rune](c T) bool { return c < 0x20 || c == 0x7f }

// beginsString reports whether ESC and c begin an OSC, DCS, SOS, PM or APC.
func beginsString(c byte) bool {
	switch c {
	case ']', 'P', 'X', '^', '_':
		return true
	}
	return false
}

// Strip returns s without escape sequences and control characters other than tab, line feed, carriage
// return and backspace.
func Strip(s string) string {
	p := []byte(s)
	text := make([]byte, 0, len(p))
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == 0x1b:
			var scan Scanner
			n, _ := scan.Next(p[i:])
			if scan.begun { // the last byte begins another sequence
				n--
			}
			i += n - 1
		case c == 0xc2 && i+1 < len(p) && isC1(p[i+1]):
			i++
		case !isControl(c), c == '\n', c == '\t', c == '\r', c == '\b':
			text = append(text, c)
		}
	}
	return string(text)
}
