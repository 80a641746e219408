package logfile

import (
	"context"
	"io"
	"math"
	"regexp"
	"strings"
)

// inMemory is a source without a file.
type inMemory []byte

func (b inMemory) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	if off < 0 || off >= int64(len(b)) {
		return 0, io.EOF
	}
	return copy(p, b[off:]), nil
}

func (b inMemory) Size(context.Context) (int64, error) { return int64(len(b)), nil }

// expression and literal are patterns as a person asks for them; anyCase ignores
// the case.
func expression(expr string) *Pattern { return FromRegexp(regexp.MustCompile(expr)) }

func literal(text string) *Pattern { return expression(quoted(text)) }

func anyCase(text string) *Pattern { return expression("(?i:" + quoted(text) + ")") }

func quoted(text string) string { return regexp.QuoteMeta(strings.ToValidUTF8(text, "\uFFFD")) }

// nextMatch is the first line that p matches among those that begin at off or
// later, at most width bytes of it, and where in its text.
func nextMatch(ctx context.Context, src Source, p *Pattern, off int64, width int) (line Line, hits [][2]int, ok bool, err error) {
	s := newScanner(src, Query{Filter: p, Width: width})
	err = s.forward(ctx, off, math.MaxInt64, unknown, func(f found) error {
		if f.gap > 0 {
			return nil
		}
		line, ok = s.line(f), true
		hits = p.FindAll(line.Text)
		return errStop
	})
	return line, hits, ok && err == nil, err
}
