package vt

import "bytes"

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

// scanner finds the end of an escape sequence in a stream without interpreting it.
type scanner struct {
	kind    scanKind
	osc     bool // the string also ends with BEL
	tooLong bool
	broken  bool // the sequence was aborted
	vt52    bool // sequences are those of a VT52
	begun   bool // an ESC that was read already ended a string and begins a sequence
}

// isString reports whether the sequence is an OSC, DCS or another string.
func (s *scanner) isString() bool { return s.kind == scanString || s.kind == scanStringEscape }

// reset prepares for the next sequence and reports whether its ESC was read already.
func (s *scanner) reset() (begun bool) {
	begun = s.begun
	*s = scanner{vt52: s.vt52}
	if begun {
		s.kind = scanEscape
	}
	return begun
}

// next returns the number of bytes of p that belong to the sequence, which begins with
// ESC, and whether it is complete or aborted.
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

// Strip returns s without escape sequences and control characters other than tab, line feed, carriage
// return and backspace.
func Strip(s string) string {
	p := []byte(s)
	text := make([]byte, 0, len(p))
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == 0x1b:
			var scan scanner
			n, _ := scan.next(p[i:])
			if scan.begun { // the last byte begins another sequence
				n--
			}
			i += n - 1
		case c == 0xc2 && i+1 < len(p) && p[i+1] >= 0x80 && p[i+1] < 0xa0: // a C1 control
			i++
		case c >= 0x20 && c != 0x7f, c == '\n', c == '\t', c == '\r', c == '\b':
			text = append(text, c)
		}
	}
	return string(text)
}

// AltSwitch is a sequence that switches to the alternate screen, or back from
// it.
type AltSwitch struct {
	From, To int // range of bytes
	On       bool
}

// AltSwitches finds the switches between the screens in an application's output.
func AltSwitches(p []byte) []AltSwitch {
	var found []AltSwitch
	for at := 0; ; {
		i := bytes.Index(p[at:], []byte("\x1b[?"))
		if i < 0 {
			return found
		}
		from := at + i
		at = from + len("\x1b[?")
		param, is := 0, false
		for at < len(p) && (p[at] >= '0' && p[at] <= '9' || p[at] == ';') {
			if p[at] == ';' {
				is = is || isAltMode(param)
				param = 0
			} else {
				param = min(param*10+int(p[at]-'0'), 1<<16)
			}
			at++
		}
		if at < len(p) && (is || isAltMode(param)) && (p[at] == 'h' || p[at] == 'l') {
			found = append(found, AltSwitch{from, at + 1, p[at] == 'h'})
		}
	}
}

func isAltMode(param int) bool { return param == 47 || param == 1047 || param == 1049 }
