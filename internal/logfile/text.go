package logfile

import (
	"bytes"
	"unicode/utf8"
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
