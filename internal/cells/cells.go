// Package cells cuts, pads and stacks text to exact numbers of terminal cells.
//
// Every component of the UI must draw a block of exactly w by h cells. Widths are
// those of the renderer (grapheme clusters, wide characters), and styled text is
// never cut inside an escape sequence. Text from a job, such as its name and its
// output, must pass through [Clean] before it is drawn.
package cells

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Width returns the number of columns that s occupies.
func Width(s string) int {
	w := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isPrintableASCII(c):
			w++
		case strings.HasPrefix(s[i:], "\x1b["):
			// Parameters, then one final byte.
			i += 2
			for i < len(s) && '0' <= s[i] && s[i] <= '?' {
				i++
			}
			if i == len(s) || s[i] > '~' || s[i] < '@' {
				return ansi.StringWidth(s)
			}
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			if !unicode.Is(narrow, r) { // it may also change the width of what precedes it
				return ansi.StringWidth(s)
			}
			w++
			i += size - 1
		}
	}
	return w
}

func isPrintableASCII(c byte) bool { return ' ' <= c && c <= '~' }

// narrow are characters beyond ASCII that are known to occupy one column, whatever precedes them: letters of
// Western Europe without the soft hyphen, punctuation, arrows, and what frames and glyphs consist of.
var narrow = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0xa1, Hi: 0xac, Stride: 1},
		{Lo: 0xae, Hi: 0xff, Stride: 1},
		{Lo: 0x2010, Hi: 0x2027, Stride: 1},
		{Lo: 0x2190, Hi: 0x21ff, Stride: 1},
		{Lo: 0x2500, Hi: 0x25fc, Stride: 1},
		{Lo: 0x2713, Hi: 0x2718, Stride: 1},
	},
	LatinOffset: 2,
}

// Fit returns s, which may be styled, in exactly w columns: cut or padded on
// the right. A wide character that only half fits leaves a blank.
func Fit(s string, w int) string {
	s, have := cut(s, w)
	return s + Blank(w-have)
}

// cut returns s in at most w columns, and how many columns that is.
func cut(s string, w int) (string, int) {
	if w <= 0 {
		return "", 0
	}
	have := Width(s)
	if have <= w {
		return s, have
	}
	s = ansi.Truncate(s, w, "")
	return s, Width(s)
}

// FitLeft is Fit with the padding on the left, for numbers and times.
func FitLeft(s string, w int) string {
	s, have := cut(s, w)
	return Blank(w-have) + s
}

// Blank returns n spaces, none for a negative n.
func Blank(n int) string {
	if n <= 0 {
		return ""
	}
	return strings.Repeat(" ", n)
}

// Truncate cuts s at its end to at most w columns. A mark replaces the part that was cut.
func Truncate(s string, w int, mark string) string {
	if w <= 0 {
		return ""
	}
	if Width(s) <= w {
		return s
	}
	return ansi.Truncate(s, w, mark)
}

// TruncateMiddle cuts plain text in the middle to at most w columns, so that both the
// program and the last argument of a command remain readable.
func TruncateMiddle(s string, w int, mark string) string {
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
	return ansi.Truncate(s, head, "") + mark + suffix(s, have, tail)
}

// suffix returns the end of s, which may be styled and is have columns wide, in at most w columns.
func suffix(s string, have, w int) string {
	for cut := have - w; cut < have; cut++ {
		if end := ansi.TruncateLeft(s, cut, ""); Width(end) <= w {
			return end
		}
	}
	return ""
}

// TruncateStart cuts plain text at its start to at most w columns. It is for paths, where
// the end matters most.
func TruncateStart(s string, w int, mark string) string {
	if w <= 0 {
		return ""
	}
	have := Width(s)
	if have <= w {
		return s
	}
	return mark + suffix(s, have, w-Width(mark))
}

// Clean makes untrusted text safe to draw on one line. In addition to [Printable] it
// simplifies characters whose width differs between terminals.
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	return uniformWidth(Printable(s))
}

// Wrap breaks text into lines of at most w columns, at blanks where it can.
func Wrap(text string, w int) []string { return strings.Split(ansi.Wrap(text, max(1, w), ""), "\n") }

// WrapTo is Wrap for at most h lines, of which the last one is cut if there is no room for all.
func WrapTo(text string, w, h int, mark string) []string {
	lines := Wrap(text, w)
	if h <= 0 {
		return nil
	}
	if len(lines) > h {
		lines = append(lines[:h-1], Truncate(strings.Join(lines[h-1:], " "), w, mark))
	}
	return lines
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

// Overlay draws the lines of box over those of back, with the upper left corner of box
// at x, y. Parts of box outside back are not drawn. It modifies back.
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
		rest := width - x - w
		right := FitLeft(suffix(under, width, rest), rest)
		back[at] = left + reset + line + reset + right
	}
}

const reset = "\x1b[m"

// Name cuts a job's name to at most w columns: at the end if it already ends with an
// ellipsis, as a name derived from a long command does, else in the middle. The mark
// replaces that ellipsis, too.
func Name(s string, w int, mark string) string {
	head, cut := strings.CutSuffix(s, "…")
	if !cut {
		return TruncateMiddle(s, w, mark)
	}
	return Truncate(head, w-Width(mark), "") + Truncate(mark, w, "")
}

// WithMark returns a name whose ellipsis, as in [Name], is replaced by the mark.
func WithMark(s, mark string) string {
	if head, cut := strings.CutSuffix(s, "…"); cut {
		return head + mark
	}
	return s
}

// uniformWidth simplifies s so that it is equally wide on terminals that count code
// points and on those that count grapheme clusters. Of a cluster where they differ
// (joined emoji, variants, skin tones) it keeps the first character, and of a flag the
// letters of its country code.
func uniformWidth(s string) string {
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

// FitChar returns one character of a screen, cleaned and padded with spaces to w columns.
func FitChar(char string, w int) string {
	char = Clean(char)
	return char + strings.Repeat(" ", max(0, w-Width(char)))
}
