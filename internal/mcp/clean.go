package mcp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hobjobs/hob/internal/vt"
)

// clean makes of what a job printed the text that a person would have seen:
// without escape sequences and control characters, with carriage returns and
// backspaces carried out.
func clean(p []byte) string {
	return fold(vt.Strip(string(p)))
}

// fold finishes text that was stripped.
func fold(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.ContainsAny(s, "\r\b") {
		s = strings.ReplaceAll(s, "\r\n", "\n")
		var b strings.Builder
		for line := range strings.Lines(s) {
			text, end := strings.CutSuffix(line, "\n")
			b.Write(vt.FoldLine([]byte(strings.TrimRight(text, "\r"))))
			if end {
				b.WriteByte('\n')
			}
		}
		s = b.String()
	}
	return strings.Map(visible, s)
}

// visible drops what reads differently from how it looks: direction overrides
// and the invisible tag characters, in which text can be hidden from people.
func visible(r rune) rune {
	switch {
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r >= 0xe0000 && r <= 0xe007f:
		return -1
	case r != '\n' && r != '\t' && unicode.IsControl(r):
		return -1
	}
	return r
}

// A cleaner cleans output that comes in pieces, wherever they are cut.
type cleaner struct {
	strip vt.Stripper
	rest  []byte // of a character that is not complete
}

// add returns the text of p. With last nothing more will come.
func (c *cleaner) add(p []byte, last bool) string {
	b := c.strip.Append(c.rest, p)
	c.rest = nil
	if !last {
		n := incomplete(b)
		c.rest = append(c.rest, b[len(b)-n:]...)
		b = b[:len(b)-n]
	}
	return fold(string(b))
}

// incomplete is how many bytes at the end of p begin a character that lacks its
// end.
func incomplete(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		c := p[len(p)-n]
		if utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(p[len(p)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// oneLine makes of s one line of at most n characters.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(clean([]byte(s))), " ")
	if utf8.RuneCountInString(s) > n {
		s = firstRunes(s, n-1) + "…"
	}
	return s
}

// firstRunes is the begin of s, at most n characters.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// lastRunes is the end of s, at most n characters.
func lastRunes(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}
