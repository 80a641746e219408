package vt

import (
	"bytes"
	"strconv"
	"strings"
)

// passes reports whether a complete sequence may reach the user's terminal: it is one that
// a Terminal interprets, and its effect stays in the application's terminal. Everything
// else is dropped, because terminals and multiplexers differ in what they make of it.
func (f *Filter) passes(s []byte) bool {
	if len(s) < 2 {
		return false
	}
	switch s[1] {
	case '[':
		return passesCSI(s[2:])
	case ']':
		return f.passesOSC(s[2:])
	case 'P', '_', '^', 'X':
		// Queries (DECRQSS, XTGETTCAP), images, macros, and strings that a multiplexer
		// would forward to the outer terminal.
		return false
	}
	return passesEscape(s[1:])
}

// passesEscape is passes for ESC, an optional intermediate byte, and a final byte. It drops
// DECID, and ESC k, which begins the name of a window.
func passesEscape(s []byte) bool {
	switch {
	case len(s) == 1:
		return strings.IndexByte("6789=>DEHMNOVWcno", s[0]) >= 0
	case len(s) > 2:
		return false
	case s[0] == '#':
		return strings.IndexByte("34568", s[1]) >= 0
	}
	return strings.IndexByte("()*+-./", s[0]) >= 0 // character sets
}

// plainFinals are the final bytes of the control sequences without prefix that pass, by their
// intermediate byte. (A map would be initialized at every start.)
var plainFinals = [...]struct {
	inter  byte
	finals string
}{
	// Not c, n, x (queries), i (printing) and t (the window).
	{0, "ABCDEFGHIJKLMPSTXZ@^`abdefgjkmrsu"},
	{' ', "@Aq"}, // not t, u: the volume of bells
	{'!', "p"},
	{'"', "pq"},
	{'\'', "}~"},    // not the locators
	{'$', "vxz{rt"}, // not p, u, w (queries), | (columns), } and ~ (the status line)
	{'*', "x"},      // not y (a query), z (a macro), | (rows)
	{'#', "{}pq"},
}

// passesCSI is passes for control sequences other than those that set modes.
func passesCSI(s []byte) bool {
	if len(s) == 0 {
		return false
	}
	body, final := s[:len(s)-1], s[len(s)-1]
	prefix, inter := byte(0), byte(0)
	if len(body) > 0 && within(body[0], '<', '?') {
		prefix, body = body[0], body[1:]
	}
	for i, c := range body {
		switch {
		case c >= 0x30 && inter != 0, c < 0x30 && i < len(body)-1: // invalid: terminals differ in how they interpret it
			return false
		case c < 0x30:
			inter = c
		}
	}
	switch {
	case prefix == 0:
		for _, p := range plainFinals {
			if p.inter == inter {
				return strings.IndexByte(p.finals, final) >= 0
			}
		}
		return false
	case inter != 0:
		return false
	case prefix == '?':
		return strings.IndexByte("JKWrs", final) >= 0
	case final == 'u': // the keyboard
		return true
	}
	if prefix != '>' {
		return false
	}
	resource, _, _ := bytes.Cut(body, []byte{';'}) // of XTMODKEYS
	switch final {
	case 'm':
		return len(body) == 0 || string(resource) == "4"
	case 'n':
		return string(resource) == "4"
	}
	return false
}

// passesMode reports whether a mode passes: it is one that a Terminal has, except those that
// concern the user's keyboard, printer and window, and those whose reports are sent at once.
func passesMode(n int, private bool) bool {
	if !private {
		return n == 4 || n == 20 // not 2, which locks the keyboard, and 12, which echoes it
	}
	switch n {
	case 8, 18, 19, 40, 2048: // key repeat, printing, 132 columns, size reports
		return false
	case 6, 9, 1000, 1002, 1003, 1005, 1006, 1015, 1016, 1048, snapOneCell, snapPending:
		return true
	}
	return isAltMode(n) || privateMode(n) != modeNone
}

// passesOSC is passes for operating system commands.
func (f *Filter) passesOSC(s []byte) bool {
	s = bytes.TrimSuffix(bytes.TrimSuffix(s, []byte("\x1b\\")), []byte("\a"))
	key, rest, _ := bytes.Cut(s, []byte{';'})
	switch string(key) {
	case "0", "1", "2", "7", "8", "133", "104", "105", "110", "111", "112":
		return true
	case "4", "5", "10", "11", "12":
		return bytes.IndexByte(rest, '?') < 0
	case "9": // a notification or progress, not a command of ConEmu
		first, _, _ := strings.Cut(string(rest), ";")
		n, err := strconv.Atoi(first)
		return err != nil || n == 4 || !within(n, 1, 12)
	case "52":
		_, data, _ := bytes.Cut(rest, []byte{';'})
		return f.Clipboard && bytes.IndexByte(data, '?') < 0
	case "99":
		return passesNotification(string(rest))
	case "777":
		return bytes.HasPrefix(rest, []byte("notify;"))
	}
	return false
}

// isC1 reports whether c, after 0xc2, is a C1 control in UTF-8.
func isC1(c byte) bool { return within(c, 0x80, 0x9f) }

// hasC1 reports whether s contains a C1 control in UTF-8.
func hasC1(s []byte) bool {
	for i := 1; i < len(s); i++ {
		if s[i-1] == 0xc2 && isC1(s[i]) {
			return true
		}
	}
	return false
}
