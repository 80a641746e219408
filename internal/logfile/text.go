package logfile

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Text is what a terminal would show of p, line by line: without escape
// sequences and control characters, with carriage returns, backspaces and erased
// line ends carried out. Line feeds stay; a last line without one is rendered as
// far as it goes.
func Text(p []byte) []byte {
	text := make([]byte, 0, len(p))
	r := newRenderer(max(len(p), 1) * utf8.UTFMax) // an invalid byte becomes three
	for len(p) > 0 {
		line, rest, whole := bytes.Cut(p, lf)
		r.reset()
		r.write(line)
		shown, _ := r.end()
		text = append(text, shown...)
		if whole {
			text = append(text, '\n')
		}
		p = rest
	}
	return text
}

// MaxUnfinished is the longest begin of an escape sequence that Unfinished knows.
const MaxUnfinished = 256

// Unfinished is how many bytes at the end of p begin a character or an escape
// sequence that lacks its end: who reads on from before them reads it whole. It
// looks at the last 256 bytes, so that data that is no text cannot grow without
// being read.
func Unfinished(p []byte) int {
	tail := p[max(len(p)-MaxUnfinished, 0):]
	var esc escapes
	begin := 0
	for i, b := range tail {
		if esc.ground() {
			begin = i
		}
		if b < utf8.RuneSelf {
			esc.next(b)
		} else {
			esc.other()
		}
	}
	if esc.ground() {
		return UnfinishedRune(tail)
	}
	return len(tail) - begin
}

// Torn is how many bytes at the beginning of p, which was cut there, are the rest of a
// character.
func Torn(p []byte) int {
	for i, b := range p {
		if utf8.RuneStart(b) {
			return i
		}
		if i == utf8.UTFMax-1 { // no character is that long
			return 0
		}
	}
	return len(p)
}

// UnfinishedRune is [Unfinished] of characters alone.
func UnfinishedRune(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		b := p[len(p)-n]
		if !utf8.RuneStart(b) {
			continue
		}
		if !utf8.FullRune(p[len(p)-n:]) {
			return n
		}
		return 0
	}
	return 0
}

// maxCluster is how far from a cut the edge of a grapheme cluster is looked for, in
// bytes. A longer one is cut between its characters.
const maxCluster = 1 << 10

// First is the beginning of s, at most n characters, without a part of a grapheme
// cluster at its end: an emoji of several characters, a letter and its accents.
func First(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:clusterEdge(s, i, false)]
		}
		n--
	}
	return s
}

// Last is the end of s, at most n characters, without a part of a grapheme cluster at
// its beginning.
func Last(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[clusterEdge(s, i, true):]
}

// clusterEdge is the edge of a cluster at i, else the last one before it, or the
// first one after it. i is the beginning of a character.
func clusterEdge(s string, i int, after bool) int {
	from := strings.LastIndexByte(s[:i], '\n') + 1
	for from = max(from, i-maxCluster); from < i && !utf8.RuneStart(s[from]); {
		from++
	}
	edge := from
	for g := graphemes.FromString(s[from:min(len(s), i+maxCluster)]); edge < i && g.Next(); {
		next := from + g.End()
		if next > i && !after {
			break
		}
		edge = next
	}
	if i-edge >= maxCluster || edge-i >= maxCluster {
		return i
	}
	return edge
}
