package prompt

import (
	"slices"
	"strings"
	"unicode"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// edited is text with a cursor. Positions count grapheme clusters: a letter with its accents is
// one.
type edited struct {
	text []string // grapheme clusters
	at   int      // position of the cursor: before text[at]
}

func (e *edited) before() string { return strings.Join(e.text[:e.at], "") }
func (e *edited) after() string  { return strings.Join(e.text[e.at:], "") }

// set replaces the text and puts the cursor between before and after. If the text at the cursor
// forms one grapheme cluster, the cursor is after it.
func (e *edited) set(before, after string) {
	e.text = clusters(before + after)
	e.at = min(len(clusters(before)), len(e.text))
}

// move puts the cursor before character i, limited to the text.
func (e *edited) move(i int) { e.at = max(0, min(i, len(e.text))) }

// removeTo deletes the characters between the cursor and i. It returns false if there are none.
func (e *edited) removeTo(i int) bool {
	from := e.at
	e.move(i)
	to := max(from, e.at)
	e.at = min(from, e.at)
	e.text = slices.Delete(e.text, e.at, to)
	return e.at < to
}

// wordEnd returns the end of the word after the cursor, wordStart the start of the word before
// it.
func (e *edited) wordEnd() int {
	i := e.at
	for i < len(e.text) && !isWord(e.text[i]) {
		i++
	}
	for i < len(e.text) && isWord(e.text[i]) {
		i++
	}
	return i
}

func (e *edited) wordStart() int {
	i := e.at
	for i > 0 && !isWord(e.text[i-1]) {
		i--
	}
	for i > 0 && isWord(e.text[i-1]) {
		i--
	}
	return i
}

func isWord(cluster string) bool {
	for _, r := range cluster {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
	}
	return false
}

func clusters(s string) []string {
	var all []string
	for g := graphemes.FromString(s); g.Next(); {
		all = append(all, g.Value())
	}
	return all
}
