package logfile

import (
	"context"
	"io"
	"math"
	"regexp"
	"strings"
)

// memoryLog is a source in memory.
type memoryLog []byte

func (b memoryLog) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	if off < 0 || off >= int64(len(b)) {
		return 0, io.EOF
	}
	return copy(p, b[off:]), nil
}

func (b memoryLog) Size(context.Context) (int64, error) { return int64(len(b)), nil }

// expression returns the pattern of a regular expression, literal that of a text, and
// anyCase that of a text in upper or lower case.
func expression(expr string) *Pattern { return FromRegexp(regexp.MustCompile(expr)) }

func literal(text string) *Pattern { return expression(quoted(text)) }

func anyCase(text string) *Pattern { return expression("(?i:" + quoted(text) + ")") }

func quoted(text string) string { return regexp.QuoteMeta(strings.ToValidUTF8(text, "\uFFFD")) }

// nextMatch returns the first line that begins at off or later and matches p.
func nextMatch(ctx context.Context, src Source, p *Pattern, off int64) (line Line, ok bool, err error) {
	s := newScanner(src, Query{Filter: p})
	err = s.forward(ctx, off, math.MaxInt64, unknown, func(f rawLine) error {
		if f.gap > 0 {
			return nil
		}
		line, ok = s.line(f), true
		return errStop
	})
	return line, ok && err == nil, err
}
