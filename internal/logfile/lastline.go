package logfile

import (
	"bytes"
	"strings"
)

const (
	// LastLineRead is how much of the end of an output [LastLine] needs at most.
	LastLineRead = 4 << 10
	// maxLastLine is the length in characters at which a last line is cut.
	maxLastLine = 200
)

// LastLine returns the last line of p, the end of some output, that is not empty: without escape
// sequences and surrounding white space, and shortened if it is long.
func LastLine(p []byte) string {
	p = p[max(0, len(p)-LastLineRead):]
	if isDrawn(p) {
		return ""
	}
	lines := LastLines(p)
	for len(lines) > 0 {
		last := lines[len(lines)-1]
		if text := strings.TrimSpace(last); text != "" {
			return FirstRunes(text, maxLastLine)
		}
		lines = lines[:len(lines)-1]
	}
	return ""
}

// LastLines returns the lines of p, the end of some output, without escape sequences. There are none in
// binary data, and what a full-screen program has drawn is left out.
func LastLines(p []byte) []string {
	if i := bytes.LastIndex(p, leaveAlternate); i >= 0 {
		p = p[i+len(leaveAlternate):]
	}
	if Binary(p) {
		return nil
	}
	return strings.Split(string(Text(p[ContinuationPrefix(p):])), "\n")
}

// leaveAlternate is the sequence with which full-screen programs restore the screen.
var leaveAlternate = []byte("\x1b[?1049l")

// isDrawn reports whether the last line of p is drawn anywhere on the screen, as by a full-screen
// program: it moves the cursor to a row and a column.
func isDrawn(p []byte) bool {
	last := bytes.TrimRight(p, "\r\n ")
	last = last[bytes.LastIndexByte(last, '\n')+1:]
	for {
		_, after, ok := bytes.Cut(last, []byte("\x1b["))
		if !ok {
			return false
		}
		params := bytes.TrimLeft(after, "0123456789;")
		if len(params) > 0 && len(params) < len(after) && params[0] == 'H' {
			return true
		}
		last = after
	}
}
