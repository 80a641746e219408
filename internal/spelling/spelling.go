// Package spelling converts names of fields to those that users write, and finds the name that was
// probably meant by a misspelled one.
package spelling

import (
	"strings"
	"unicode"
)

// Separate converts a field's name to lower case with sep between its words: with '-',
// ClearFinished is "clear-finished" and CopyID is "copy-id".
func Separate(name string, sep byte) string {
	var b strings.Builder
	letters := []rune(name)
	for i, r := range letters {
		if startsWord(letters, i) {
			b.WriteByte(sep)
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// startsWord reports whether the letter i begins a further word: a capital after a small letter, or the last
// one of several capitals.
func startsWord(letters []rune, i int) bool {
	switch {
	case i == 0, !unicode.IsUpper(letters[i]):
		return false
	case !unicode.IsUpper(letters[i-1]):
		return true
	}
	return i+1 < len(letters) && !unicode.IsUpper(letters[i+1])
}

// Nearest returns the name that is closest to a misspelled one, or "" if none is close: one
// typo in three or four letters, two in five to seven, and so on.
func Nearest(name string, names []string) string {
	best, found := (len(name)+1)/3+1, ""
	for _, n := range names {
		if d := distance(name, n); d < best {
			best, found = d, n
		}
	}
	return found
}

// distance counts the insertions, deletions, replacements and swaps of neighbours
// between a and b.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			replace := last[j]
			if a[i] != b[j] {
				replace++
			}
			row[j+1] = min(replace, last[j+1]+1, row[j]+1)
			if i == 0 || j == 0 {
				continue
			}
			if swapped := a[i] == b[j-1] && a[i-1] == b[j]; swapped {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
