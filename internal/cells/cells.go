// Package cells cuts, pads and stacks text to exact numbers of terminal cells.
//
// Every component of the UI promises a block of exactly w by h cells; these are
// the functions with which it keeps the promise. Widths are those of the
// renderer (grapheme clusters, wide characters), styled text is never cut inside
// an escape sequence, and what a job printed or was named passes [Clean] before
// it is drawn.
package cells

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Width returns the number of columns that s takes.
func Width(s string) int {
	w := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case ' ' <= c && c <= '~':
			w++
		case c == '\x1b' && i+1 < len(s) && s[i+1] == '[':
			// Parameters, then one final byte.
			i += 2
			for i < len(s) && '0' <= s[i] && s[i] <= '?' {
				i++
			}
			if i == len(s) || s[i] > '~' || s[i] < '@' {
				return ansi.StringWidth(s)
			}
		default: // what is not ASCII takes looking at
			return ansi.StringWidth(s)
		}
	}
	return w
}

// Fit returns s, which may be styled, in exactly w columns: cut or padded on
// the right. A wide character that only half fits leaves a blank.
func Fit(s string, w int) string {
	s = End(s, w, "")
	return s + Blank(w-Width(s))
}

// FitLeft is Fit with the padding on the left: numbers and times.
func FitLeft(s string, w int) string {
	s = End(s, w, "")
	return Blank(w-Width(s)) + s
}

// Blank returns n blanks, none for a negative n.
func Blank(n int) string {
	if n <= 0 {
		return ""
	}
	return strings.Repeat(" ", n)
}

// End cuts s at the end to at most w columns; the mark says that it was cut.
func End(s string, w int, mark string) string {
	if w <= 0 {
		return ""
	}
	if Width(s) <= w {
		return s
	}
	return ansi.Truncate(s, w, mark)
}

// Middle cuts plain text in the middle to at most w columns, so that both the
// program and its last argument can be read.
func Middle(s string, w int, mark string) string {
	if w <= 0 {
		return ""
	}
	have := Width(s)
	if have <= w {
		return s
	}
	room := w - Width(mark)
	if room < 2 {
		return ansi.Truncate(s, w, "")
	}
	head := (room + 1) / 2
	tail := room - head
	return ansi.Truncate(s, head, "") + mark + last(s, have, tail)
}

// last returns the end of s, which is have columns wide, in at most w columns.
func last(s string, have, w int) string {
	for cut := have - w; cut < have; cut++ {
		if end := ansi.TruncateLeft(s, cut, ""); Width(end) <= w {
			return end
		}
	}
	return ""
}

// Start cuts plain text at its start to at most w columns: paths, whose end
// matters.
func Start(s string, w int, mark string) string {
	if w <= 0 {
		return ""
	}
	have := Width(s)
	if have <= w {
		return s
	}
	return mark + last(s, have, w-Width(mark))
}

// Clean makes foreign text safe to draw on one line: it is [Printable], and what
// terminals do not agree on the width of is drawn in a simpler way.
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	return steady(Printable(s))
}

// Printable makes one line of foreign text: escape sequences go, white space becomes
// blanks, other characters that do not print go too.
func Printable(s string) string {
	if isClean(s) {
		return s
	}
	s = ansi.Strip(s)
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\r', r == '\u2028', r == '\u2029':
			return ' '
		case unicode.IsControl(r), r == '\u200e', r == '\u200f', r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\ufeff':
			// Marks of direction could reorder what stands beside them.
			return -1
		}
		return r
	}, s)
}

func isClean(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// Block returns exactly h lines of exactly w columns.
func Block(lines []string, w, h int) []string {
	block := make([]string, 0, max(0, h))
	for i := range max(0, h) {
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		block = append(block, Fit(line, w))
	}
	return block
}

// Overlay draws the lines of box over those of back, with its left upper corner
// at x, y. What does not fit is left out. It changes back.
func Overlay(back, box []string, x, y int) {
	for i, line := range box {
		at := y + i
		if at < 0 || at >= len(back) {
			continue
		}
		under := back[at]
		width := Width(under)
		w := Width(line)
		if x < 0 || x+w > width {
			line = Fit(line, max(0, width-x))
			w = Width(line)
		}
		left := ansi.Truncate(under, x, "")
		left += Blank(x - Width(left))
		right := styledRest(under, x+w, width)
		back[at] = left + reset + line + reset + right
	}
}

// styledRest returns the columns of s from x on; s is width columns wide. Half
// of a wide character becomes a blank.
func styledRest(s string, x, width int) string {
	want := width - x
	for cut := x; cut < width; cut++ {
		if rest := ansi.TruncateLeft(s, cut, ""); Width(rest) <= want {
			return Blank(want-Width(rest)) + rest
		}
	}
	return Blank(want)
}

const reset = "\x1b[m"

// Name cuts a job's name to at most w columns: in the middle, or at the end if
// it was cut there when it was made up. The mark stands for that cut, too.
func Name(s string, w int, mark string) string {
	head, cut := strings.CutSuffix(s, "…")
	if !cut {
		return Middle(s, w, mark)
	}
	return End(head, w-Width(mark), "") + End(mark, w, "")
}

// steady is s as it may be drawn beside other things: as wide for a terminal that
// counts by code point as for one that counts by cluster. Of a cluster where they
// differ (joined emoji, variants, skin tones) the first character stands alone; a
// flag becomes the letters that it is made of.
func steady(s string) string {
	var b strings.Builder
	for g := graphemes.FromString(s); g.Next(); {
		cluster := g.Value()
		first, size := utf8.DecodeRuneInString(cluster)
		switch {
		case isFlagLetter(first):
			for _, r := range cluster {
				if isFlagLetter(r) {
					b.WriteRune('A' + r - flagA)
				}
			}
		case ansi.StringWidth(cluster) == ansi.StringWidthWc(cluster):
			b.WriteString(cluster)
		case ansi.StringWidth(cluster[:size]) == ansi.StringWidthWc(cluster[:size]):
			b.WriteRune(first)
		default:
			b.WriteByte('?')
		}
	}
	return b.String()
}

// The regional indicators, two of which make a flag.
const flagA, flagZ = '\U0001f1e6', '\U0001f1ff'

func isFlagLetter(r rune) bool { return r >= flagA && r <= flagZ }

// Exact is one character of a screen as it may be drawn in w columns: in the simpler form
// that is as wide for a terminal that counts by code point as for one that counts by
// cluster, with blanks behind it up to w.
func Exact(char string, w int) string {
	char = Clean(char)
	return char + strings.Repeat(" ", max(0, w-Width(char)))
}
