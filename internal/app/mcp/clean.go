package mcp

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hobjobs/hob/internal/logfile"
)

// clean is the text that a terminal would show of p: escape sequences and control
// characters are removed; carriage returns, backspaces and erased line ends are applied.
func clean(p []byte) string {
	// Records that end in NUL, such as those of find -print0, become lines.
	if n := bytes.Count(p, []byte{0}); n > 0 && 3*n <= len(p) && !bytes.Contains(p, []byte{0, 0}) {
		p = bytes.ReplaceAll(p, []byte{0}, []byte{'\n'})
	}
	return shown(string(logfile.Text(p)))
}

// shown removes characters that [visible] drops.
func shown(s string) string { return strings.Map(visible, s) }

// visible drops control characters, and those in which text can be hidden from readers:
// direction overrides and tag characters.
func visible(r rune) rune {
	switch {
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r >= 0xe0000 && r <= 0xe007f:
		return -1
	case r != '\n' && r != '\t' && unicode.IsControl(r):
		return -1
	}
	return r
}

// oneLine is s on one line, with at most n characters.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(clean([]byte(s))), " ")
	if utf8.RuneCountInString(s) > n {
		s = logfile.First(s, n-1) + "…"
	}
	return s
}
