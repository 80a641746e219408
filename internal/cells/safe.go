package cells

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hobjobs/hob/internal/vt"
)

// Untrusted text, such as the name of a job, a file or a host, can contain characters that act on
// the terminal or that change how the text beside it reads. These functions make it safe to print.
// They differ in what takes the place of such characters:
//
//   - [Printable] and [Clean] return one line without them, for the UI;
//   - [Escape] and [EscapeJSON] show them as escapes, for the command line;
//   - [Visible] and [VisibleName] return text for agents, also without those that hide text.

// Printable turns untrusted text into one line: it replaces white space by spaces, and
// removes escape sequences and other characters that are not printable.
func Printable(s string) string {
	if isClean(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\r', breaksLine(r):
			return ' '
		case unicode.IsControl(r), reorders(r):
			return -1
		}
		return r
	}, vt.Strip(s))
}

func isClean(s string) bool {
	for i := range len(s) {
		if !isPrintableASCII(s[i]) {
			return false
		}
	}
	return true
}

// Escape makes s safe to print on one line of a terminal: it replaces control characters,
// invalid UTF-8 and characters that reorder text by visible escapes.
func Escape(s string) string {
	if !strings.ContainsFunc(s, isUnsafe) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case isUnsafe(r):
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// EscapeJSON makes JSON safe to print: it escapes DEL, 8-bit control characters and characters
// that reorder text. They only occur in strings, so the meaning stays the same. It may return p
// itself.
func EscapeJSON(p []byte) []byte {
	if !slices.ContainsFunc(p, func(b byte) bool { return b >= 0x7f }) {
		return p // ASCII
	}
	out := make([]byte, 0, len(p)+64)
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		switch {
		case 0x7f <= r && r <= 0x9f, reorders(r):
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = append(out, p[:n]...)
		}
		p = p[n:]
	}
	return out
}

// Visible returns text of several lines without control characters, and without characters in
// which text can be hidden from readers.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		if isInvisible(r) {
			return -1
		}
		return r
	}, s)
}

// VisibleName returns a name that others chose, such as that of a directory, with U+FFFD for each
// character that [Visible] removes and for line ends: unlike text it may not seem to be another one.
func VisibleName(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', isInvisible(r):
			return utf8.RuneError
		}
		return r
	}, s)
}

// WithoutMarks returns s without direction marks, for the text of a cell: they would reorder
// neighboring cells.
func WithoutMarks(s string) string {
	if isClean(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if reorders(r) {
			return -1
		}
		return r
	}, s)
}

// isUnsafe reports whether r could act on a terminal or reorder the text around it.
func isUnsafe(r rune) bool {
	switch {
	case r == utf8.RuneError, breaksLine(r):
		return true
	}
	return unicode.IsControl(r) || reorders(r)
}

// isInvisible reports whether r is a control character other than a tab or a line end, or one in
// which text can be hidden: a direction mark or a tag character.
func isInvisible(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return unicode.IsControl(r) || reorders(r)
}

// breaksLine reports whether r is one of Unicode's own separators of lines.
func breaksLine(r rune) bool { return r == '\u2028' || r == '\u2029' }

// reorders reports whether r is a mark for the direction of text. It has no width, and could reorder
// the text beside it.
func reorders(r rune) bool {
	switch r {
	case '\u061c', '\u200e', '\u200f', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069', '\ufeff':
		return true
	}
	return false
}
