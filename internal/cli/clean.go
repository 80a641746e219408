package cli

import (
	"bytes"

	"github.com/hobjobs/hob/internal/logfile"
)

// maxLine bounds what a cleaner keeps of a line whose end has not come.
const maxLine = 1 << 20

// A cleaner makes text of output that comes in pieces: what a terminal would show
// of it, line by line. Nothing in it can act on a terminal: only a job that is
// attached may drive the person's. The zero value is ready.
type cleaner struct{ rest []byte }

// clean is the text of p. With last set nothing more comes; else the last line is
// kept until its end comes.
func (c *cleaner) clean(p []byte, last bool) []byte {
	p = append(c.rest, p...)
	c.rest = nil
	if end := bytes.LastIndexByte(p, '\n') + 1; !last && len(p)-end < maxLine {
		p, c.rest = p[:end], p[end:]
	}
	return logfile.Text(p)
}
