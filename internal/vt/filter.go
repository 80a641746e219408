package vt

import (
	"bytes"
	"slices"
	"strconv"
)

// Filter prepares an application's output for the user's terminal, while another terminal
// replies to the application. Only text and those sequences pass that a Terminal interprets
// and that stay in the application's terminal: no queries, and nothing that would print,
// resize the window, or run a command. The zero value is ready to use. It is not safe for
// concurrent use.
type Filter struct {
	// Clipboard allows OSC 52 writes. Reads are always removed.
	Clipboard bool
	// TitleKept means that the terminal's own title was pushed on its stack of titles. It is
	// restored when the application has no title.
	TitleKept bool

	held []byte // an incomplete sequence
	scan Scanner
	c2   bool // the last byte was 0xc2, held back

	tooLong bool // the sequence is longer than maxHeld

	alternate bool // the output so far shows the alternate screen

	title  string   // of the application
	titles []string // the application's stack of titles
}

const maxHeld = 1 << 20 // a longer sequence is dropped, in bytes

// Append filters p, the next part of the stream, and appends the result to dst. An
// incomplete sequence is held back until it is complete.
func (f *Filter) Append(dst, p []byte) []byte {
	for len(p) > 0 {
		if f.scan.Ground() {
			n := 0
			dst, n = f.text(dst, p)
			if p = p[n:]; len(p) == 0 {
				break
			}
		}
		n, done := f.scan.Next(p)
		if len(f.held)+n <= maxHeld {
			f.held = append(f.held, p[:n]...)
		} else {
			f.tooLong = true
		}
		p = p[n:]
		if !done {
			continue
		}
		dst = f.finish(dst)
		f.tooLong = false
		if f.held = f.held[:0]; cap(f.held) > keepString {
			f.held = nil
		}
		if f.scan.Reset() {
			f.held = append(f.held, 0x1b)
		}
	}
	return dst
}

// Alternate reports whether the output so far shows the alternate screen.
func (f *Filter) Alternate() bool { return f.alternate }

// finish appends the held sequence if it is allowed. Control characters within it,
// which take effect at once, are moved before it.
func (f *Filter) finish(dst []byte) []byte {
	s := f.held
	clean := s[:0]
	for i, c := range s {
		if f.scan.InString() && len(clean) > 1 {
			clean = append(clean, s[i:]...) // strings have no control characters
			break
		}
		switch {
		case c == 0x1b, within(c, 0x20, 0x7e):
			clean = append(clean, c)
		case c == 0x05, c == 0x18, c == 0x1a: // a query, and those that abort a sequence
		case c < 0x20:
			dst = append(dst, c)
		}
	}
	switch {
	case f.tooLong, f.scan.broken:
		return dst
	case f.scan.vt52:
		switch clean[1] {
		case '<', 'c':
			f.scan.vt52 = false
		}
		return append(dst, fromVT52(clean)...)
	case isModeChange(clean):
		return f.changeModes(dst, clean)
	case hasC1(clean): // some terminals end a string there
		return dst
	case f.changesTitle(clean):
		return f.appendTitle(dst)
	case f.passes(clean):
		return append(dst, clean...)
	}
	return dst
}

func isModeChange(s []byte) bool {
	switch s[len(s)-1] {
	case 'h', 'l':
		return bytes.HasPrefix(s, []byte("\x1b["))
	}
	return false
}

// changeModes appends the modes that a sequence sets or resets, of those that pass. VT52
// mode is one that few terminals support: its sequences are translated from here on.
func (f *Filter) changeModes(dst, s []byte) []byte {
	body, on := s[2:len(s)-1], s[len(s)-1] == 'h'
	body, private := bytes.CutPrefix(body, []byte("?"))
	if bytes.ContainsFunc(body, func(r rune) bool { return !within(r, '0', ';') }) {
		return dst // neither are numbers, nor colons and semicolons
	}
	begin := len(dst)
	enter := false
	for p := range bytes.FieldsFuncSeq(body, func(r rune) bool { return r > '9' }) {
		n, _ := strconv.Atoi(string(p))
		if private {
			switch {
			case n == 2:
				enter = enter || !on
			case isAltMode(n):
				f.alternate = on
			}
		}
		if !passesMode(n, private) {
			continue
		}
		switch {
		case len(dst) > begin:
			dst = append(dst, ';')
		case private:
			dst = append(dst, "\x1b[?"...)
		default:
			dst = append(dst, "\x1b["...)
		}
		dst = append(dst, p...)
	}
	if len(dst) > begin {
		dst = append(dst, s[len(s)-1])
	}
	if enter {
		f.scan.vt52 = true
		dst = append(dst, "\x1b(B\x1b)B\x1b*B\x1b+B\x0f"...)
	}
	return dst
}

// text appends p up to the next ESC, without ENQ, which is a query, and without C1
// controls in UTF-8, which some terminals interpret.
func (f *Filter) text(dst, p []byte) ([]byte, int) {
	from := 0
	for i, c := range p {
		if f.c2 {
			f.c2 = false
			if isC1(c) {
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

// ModeReset returns the sequences that restore the user's terminal after the output
// so far: main screen, no margins, default style, visible cursor, no mouse reports, no
// bracketed paste, default keyboard modes.
func (f *Filter) ModeReset() []byte { return ResetModes(f.alternate) }

// ResetModes returns the same sequences for a terminal whose alternate screen is in use or not.
func ResetModes(alternate bool) []byte {
	const keyboard = "\x1b[<99u\x1b[=0u" // of the screen shown
	reset := "\x1b[?2026l" + keyboard
	if alternate {
		reset += "\x1b[?1049l" + keyboard
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

// changesTitle handles sequences that set, push and pop titles, and reports whether s is
// to be replaced by the current title. The application's stack is not kept on the
// terminal's stack, because an application that is killed would not pop its titles.
func (f *Filter) changesTitle(s []byte) bool {
	switch {
	case bytes.HasPrefix(s, []byte("\x1b]")):
		key, text, _ := bytes.Cut(s[2:], []byte{';'})
		if string(key) != "0" && string(key) != "2" {
			return false
		}
		text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\x1b\\")), []byte("\a"))
		f.title = string(text[:min(len(text), maxKeptTitle)])
		return f.showsOwnTitle()
	case slices.Contains([]string{"\x1b[22t", "\x1b[22;0t", "\x1b[22;2t"}, string(s)):
		if len(f.titles) == maxTitles {
			f.titles = f.titles[1:]
		}
		f.titles = append(f.titles, f.title)
	case slices.Contains([]string{"\x1b[23t", "\x1b[23;0t", "\x1b[23;2t"}, string(s)):
		n := len(f.titles)
		if n == 0 {
			return false
		}
		f.title, f.titles = f.titles[n-1], f.titles[:n-1]
		return true
	}
	return false
}

// maxKeptTitle limits the titles on the application's stack, in bytes.
const maxKeptTitle = 1 << 10

// showsOwnTitle reports whether the terminal's own title is to be shown: it was pushed, and the
// application has none.
func (f *Filter) showsOwnTitle() bool { return f.TitleKept && f.title == "" }

// appendTitle appends the sequence that shows the application's title.
func (f *Filter) appendTitle(dst []byte) []byte {
	if f.showsOwnTitle() {
		return append(dst, "\x1b[23;0t\x1b[22;0t"...)
	}
	return append(append(append(dst, "\x1b]2;"...), f.title...), "\x1b\\"...)
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
		at += i
		var scan Scanner
		n, done := scan.Next(p[at:])
		if s := p[at : at+n]; done && !scan.Broken() && switchesScreen(s) {
			found = append(found, AltSwitch{at, at + n, s[n-1] == 'h'})
		}
		at += n
	}
}

// switchesScreen reports whether a complete sequence of private modes sets or resets one that
// switches the screen.
func switchesScreen(s []byte) bool {
	if !isModeChange(s) {
		return false
	}
	for p := range bytes.SplitSeq(s[len("\x1b[?"):len(s)-1], []byte{';'}) {
		if n, err := strconv.Atoi(string(p)); err == nil && isAltMode(n) {
			return true
		}
	}
	return false
}

func isAltMode(param int) bool {
	switch param {
	case 47, 1047, 1049:
		return true
	}
	return false
}
