package cells

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

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
