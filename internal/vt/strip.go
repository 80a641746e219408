package vt

import "bytes"

// Stripper removes escape sequences and control characters other than tab, line
// feed, carriage return and backspace from a stream, whatever way it is cut.
// The zero value is ready. It is not safe for concurrent use.
type Stripper struct {
	scan scanner
	c2   bool // the last byte was 0xc2, held back
}

// Append strips p, the next piece of the stream, and appends what is left to
// dst. It may share memory with p if dst is p[:0].
func (s *Stripper) Append(dst, p []byte) []byte {
	for i := 0; i < len(p); {
		if s.scan.kind != scanText {
			n, done := s.scan.next(p[i:])
			i += n
			if done {
				s.scan.reset()
			}
			continue
		}
		c := p[i]
		if s.c2 {
			s.c2 = false
			if c >= 0x80 && c < 0xa0 {
				i++
				continue
			}
			dst = append(dst, 0xc2)
		}
		switch {
		case c >= 0x20 && c < 0x7f || c > 0x7f && c != 0xc2, c == '\n', c == '\t', c == '\r', c == '\b':
			dst = append(dst, c)
		case c == 0xc2:
			s.c2 = true
		case c == 0x1b:
			n, _ := s.scan.next(p[i : i+1])
			i += n
			continue
		}
		i++
	}
	return dst
}

// Strip returns s without escape sequences and control characters other than
// tab, line feed, carriage return and backspace.
func Strip(s string) string {
	clean := true
	for i := range len(s) {
		if c := s[i]; c < 0x20 && c != '\n' && c != '\t' || c == 0x7f || c == 0xc2 {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var st Stripper
	b := st.Append(nil, []byte(s))
	if st.c2 {
		b = append(b, 0xc2)
	}
	return string(b)
}

// AltSwitch is a sequence that switches to the alternate screen, or back from
// it.
type AltSwitch struct {
	From, To int // its bytes
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
