package cli

import (
	"strings"

	"github.com/hobjobs/hob/internal/vt"
)

// harmless removes everything from p that could act on a terminal: escape
// sequences and control characters. Only a job that is attached may drive the
// person's terminal. A line that ends as terminals want it ends in LF alone.
func harmless(p []byte) []byte {
	text := vt.Strip(string(p))
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return []byte(strings.Map(func(r rune) rune {
		if r == '\r' || r == '\b' {
			return -1
		}
		return r
	}, text))
}
