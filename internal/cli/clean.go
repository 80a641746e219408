package cli

import (
	"bytes"

	"github.com/hobjobs/hob/internal/vt"
)

// A cleaner removes everything from output that could act on a terminal: escape
// sequences, also ones that come in pieces, and control characters. Only a job
// that is attached may drive the person's terminal. A line that ends as
// terminals want it ends in LF alone. The zero value is ready.
type cleaner struct{ strip vt.Stripper }

func (c *cleaner) clean(p []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r == '\r' || r == '\b' {
			return -1
		}
		return r
	}, c.strip.Append(nil, p))
}
