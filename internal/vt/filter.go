package vt

import (
	"bytes"
	"strconv"
)

// Filter copies an application's output with everything taken out that would
// make a terminal answer, and every write to the clipboard: what is left can be
// shown to a person's own terminal while another party answers. The zero value
// is ready. It is not safe for concurrent use.
type Filter struct {
	// Clipboard lets OSC 52 writes through, reads never.
	Clipboard bool
	// TitleKept means that the terminal's own title is on its stack of titles: it is shown
	// where the application has set none.
	TitleKept bool

	held []byte // a sequence that is not whole yet, or whose end is awaited
	scan scanner
	c2   bool // the last byte was 0xc2, held back

	alternate bool // what passed shows the alternate screen

	title  string   // of the application
	titles []string // that it keeps
}

const maxHeld = 1 << 20 // bytes of a sequence that are kept before it is dropped

// Append filters p, the next piece of the stream, and appends what is left to
// dst. A sequence that p cuts is held back until it is whole.
func (f *Filter) Append(dst, p []byte) []byte {
	for len(p) > 0 {
		if f.scan.kind == scanText {
			n := 0
			dst, n = f.text(dst, p)
			if p = p[n:]; len(p) == 0 {
				break
			}
		}
		n, done := f.scan.next(p)
		if len(f.held)+n <= maxHeld {
			f.held = append(f.held, p[:n]...)
		} else {
			f.scan.tooLong = true
		}
		p = p[n:]
		if !done {
			continue
		}
		dst = f.finish(dst)
		if f.held = f.held[:0]; cap(f.held) > keepString {
			f.held = nil
		}
		if f.scan.reset() {
			f.held = append(f.held, 0x1b)
		}
	}
	return dst
}

// Alternate reports whether what passed shows the alternate screen.
func (f *Filter) Alternate() bool { return f.alternate }

// finish copies the sequence that is held, if it may pass. Control characters
// in it, which a terminal obeys by themselves, come before it.
func (f *Filter) finish(dst []byte) []byte {
	s := f.held
	clean := s[:0]
	for i, c := range s {
		if f.scan.isString() && len(clean) > 1 {
			clean = append(clean, s[i:]...) // what it holds is no control
			break
		}
		switch {
		case c >= 0x20 && c < 0x7f || c == 0x1b:
			clean = append(clean, c)
		case c < 0x20 && c != 0x05 && c != 0x18 && c != 0x1a:
			dst = append(dst, c)
		}
	}
	switch {
	case f.scan.tooLong || f.scan.broken:
		return dst
	case f.scan.vt52:
		if clean[1] == '<' || clean[1] == 'c' {
			f.scan.vt52 = false
		}
		return append(dst, fromVT52(clean)...)
	case isModeChange(clean):
		return f.changeModes(dst, clean)
	case f.changesTitle(clean):
		return f.appendTitle(dst)
	case f.drops(clean):
		return dst
	}
	return append(dst, clean...)
}

func isModeChange(s []byte) bool {
	last := s[len(s)-1]
	return bytes.HasPrefix(s, []byte("\x1b[?")) && (last == 'h' || last == 'l')
}

// changeModes lets pass the private modes that a sequence sets or resets, but
// for reports of the size (2048), which answer at once, and the VT52, which few
// terminals can be: its sequences are translated from here on.
func (f *Filter) changeModes(dst, s []byte) []byte {
	body, on := s[3:len(s)-1], s[len(s)-1] == 'h'
	var kept [][]byte
	enter := false
	for p := range bytes.SplitSeq(body, []byte{';'}) {
		switch n, _ := strconv.Atoi(string(p)); n {
		case 2:
			enter = enter || !on
			continue
		case 2048:
			continue
		case 47, 1047, 1049:
			f.alternate = on
		}
		kept = append(kept, p)
	}
	if len(kept) > 0 {
		dst = append(dst, "\x1b[?"...)
		dst = append(dst, bytes.Join(kept, []byte{';'})...)
		dst = append(dst, s[len(s)-1])
	}
	if enter {
		f.scan.vt52 = true
		dst = append(dst, "\x1b(B\x1b)B\x1b*B\x1b+B\x0f"...)
	}
	return dst
}

// text copies up to the next ESC, without ENQ, which asks for an answer, and
// without C1 controls in UTF-8, which some terminals obey.
func (f *Filter) text(dst, p []byte) ([]byte, int) {
	from := 0
	for i, c := range p {
		if f.c2 {
			f.c2 = false
			if c >= 0x80 && c < 0xa0 {
				from = i + 1
				continue
			}
			dst = append(dst, 0xc2)
		}
		switch c {
		case 0x1b:
			return append(dst, p[from:i]...), i
		case 0x05, 0xc2:
			f.c2 = c == 0xc2
			dst = append(dst, p[from:i]...)
			from = i + 1
		}
	}
	return append(dst, p[from:]...), len(p)
}

// drops reports whether a whole sequence asks for an answer.
func (f *Filter) drops(s []byte) bool {
	if len(s) < 2 {
		return false
	}
	switch s[1] {
	case 'Z':
		return true
	case '[':
		return dropsCSI(s[2:])
	case ']':
		return f.dropsOSC(s[2:])
	case 'P', '_', '^', 'X':
		// Requests (DECRQSS, XTGETTCAP), images, and what a multiplexer would
		// pass on to the terminal outside.
		return true
	}
	return false
}

// dropsCSI judges a control sequence by its final byte.
func dropsCSI(s []byte) bool {
	if len(s) == 0 {
		return true
	}
	body, final := s[:len(s)-1], s[len(s)-1]
	prefix, inter := byte(0), byte(0)
	if len(body) > 0 && body[0] >= '<' && body[0] <= '?' {
		prefix = body[0]
	}
	for _, c := range body {
		switch {
		case c < 0x30:
			inter = c
		case inter != 0:
			return true // no parameter may follow: who knows how it is read
		}
	}
	switch final {
	case 'c', 'n': // DA, DSR; CSI > n is XTMODKEYS and asks nothing
		return !(final == 'n' && prefix == '>')
	case 'x': // DECREQTPARM, not DECFRA and DECSACE
		return inter == 0
	case 'p': // DECRQM
		return inter == '$'
	case 'q': // XTVERSION
		return prefix == '>'
	case 'u': // the kitty keyboard query
		return prefix == '?' || inter == '&' || inter == '$'
	case 'm': // XTQMODKEYS
		return prefix == '?'
	case 'y': // DECRQCRA and self tests, not XTCHECKSUM
		return inter != '#'
	case 'w': // DECRQPSR, locators
		return inter != 0
	case 'S', 'R': // XTSMGRAPHICS, XTTITLEPOS, XTREPORTCOLORS
		return prefix != 0 || inter == '#'
	case 't': // window operations
		return inter == 0
	case '|', '{': // locators
		return inter == '\''
	}
	return false
}

// dropsOSC judges an operating system command, its terminator included.
func (f *Filter) dropsOSC(s []byte) bool {
	key, rest, _ := bytes.Cut(s, []byte{';'})
	switch string(bytes.TrimRight(key, "\a\x1b\\")) {
	case "0", "1", "2", "7", "8", "9", "133", "777", "104", "105", "110", "111", "112", "117", "119", "22":
		return false
	case "52":
		_, data, _ := bytes.Cut(rest, []byte{';'})
		return !f.Clipboard || bytes.IndexByte(data, '?') >= 0
	case "4", "5", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19":
		return bytes.IndexByte(rest, '?') >= 0
	}
	return true
}

// ModeReset returns the sequences that leave a person's terminal sane after what
// passed the filter: main screen, whole margins, default style, visible cursor, no
// mouse, no bracketed paste, plain keyboard.
func (f *Filter) ModeReset() []byte {
	if f.alternate {
		return modeReset("\x1b[?1049l")
	}
	return modeReset("")
}

func modeReset(toMain string) []byte {
	const keyboard = "\x1b[<99u\x1b[=0u" // of the screen shown
	reset := "\x1b[?2026l" + keyboard
	if toMain != "" {
		reset += toMain + keyboard
	}
	return []byte(reset +
		"\x1b7\x1b[?69l\x1b[r\x1b[?6l\x1b8" + // margins move the cursor
		"\x1b[!p\x1b[?7h\x1b[?5l\x1b[?45l\x1b[4l\x1b[20l" +
		"\x1b[?1l\x1b>\x1b[>4m" + // cursor keys, keypad, other keys
		"\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l" +
		"\x1b[?2004l\x1b[?2027l\x1b[?2031l\x1b[?2048l" +
		"\x1b(B\x1b)B\x0f" + // character sets
		"\x1b]8;;\x1b\\\x1b[m\x1b[?25h\x1b[ q" + // link, style, cursor
		"\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\")
}
