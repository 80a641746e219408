// Package selection contains what all views of text need to select some of it with the mouse: the
// selected range, the class of a character in a word, and a counter of multiple clicks.
package selection

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// CopyMsg carries text to copy to the clipboard.
type CopyMsg struct {
	Text string
	Line bool // the current line, not a selection
	Cut  bool // the text was truncated
}

// Point is the position of a character: a line, as the view counts lines, and the character in it.
type Point[L int | int64] struct {
	Line L
	X    int
}

// Before reports whether p comes before q.
func (p Point[L]) Before(q Point[L]) bool {
	if p.Line != q.Line {
		return p.Line < q.Line
	}
	return p.X < q.X
}

// Range is a range of selected text, both ends included. The zero value selects nothing.
type Range[L int | int64] struct {
	From, To Point[L] // in the order of selection: To may be before From
	On       bool     // text is selected or being selected
	Pressed  bool     // the mouse button is held down
}

// Ordered returns the ends in the order of the text.
func (r Range[L]) Ordered() (first, last Point[L]) {
	if r.To.Before(r.From) {
		return r.To, r.From
	}
	return r.From, r.To
}

// Includes reports whether some of a line is selected.
func (r Range[L]) Includes(line L) bool {
	first, last := r.Ordered()
	return r.On && line == max(first.Line, min(line, last.Line))
}

// Span returns the selected characters [from, to) of a line of n characters.
func (r Range[L]) Span(line L, n int) (from, to int) {
	if !r.Includes(line) {
		return 0, 0
	}
	first, last := r.Ordered()
	to = n
	if line == first.Line {
		from = min(first.X, n)
	}
	if line == last.Line {
		to = min(last.X+1, n)
	}
	return from, to
}

// Extend moves the end of the range.
func (r *Range[L]) Extend(to Point[L]) { r.To, r.On = to, true }

// WordClass distinguishes words (including paths, URLs and flags), blanks, and other characters. A
// second click selects neighbors of one class.
func WordClass(char string) int {
	r, _ := utf8.DecodeRuneInString(char)
	switch {
	case unicode.IsSpace(r):
		return 0
	case unicode.IsLetter(r), unicode.IsDigit(r), strings.ContainsRune("_-./~:@%+#?&=", r):
		return 1
	}
	return 2
}

// WheelRows is how many rows a notch of the mouse wheel scrolls.
const WheelRows = 3

// within is the maximum time between two clicks that count together.
const within = 400 * time.Millisecond

// Clicks counts multiple clicks: a second one in the same place selects a word, a third one a line.
// The zero value is ready to use. It belongs to one goroutine.
type Clicks struct {
	Place any // place of the last click
	Times int // number of clicks there
	last  time.Time
}

// Press counts a click on a place, of any comparable type, and returns the number of clicks there
// in quick succession: 1, 2 or 3, then 1 again.
func (c *Clicks) Press(place any, now time.Time) int {
	if c.Place != place || now.Sub(c.last) > within {
		c.Times = 0
	}
	c.Place, c.Times, c.last = place, c.Times%3+1, now
	return c.Times
}
