package logfile

import (
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

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
