package logfile

import (
	"context"
	"math"
)

// A Match is a line that a search found, and where in its text.
type Match struct {
	Line
	Hits [][2]int // ranges of bytes in Text; none if it matched nothing or behind the cut
}

// Next finds the first line that p matches among those that begin at off or
// later. off must be the beginning of a line. width is as in [Query].
func Next(ctx context.Context, src Source, p *Pattern, off int64, width int) (m Match, ok bool, err error) {
	s := newScanner(src, Query{Filter: p, Width: width})
	err = s.forward(ctx, off, math.MaxInt64, unknown, func(f found) error {
		if f.gap > 0 {
			return nil
		}
		m, ok = Match{Line: s.line(f)}, true
		m.Hits = p.FindAll(m.Text)
		return errStop
	})
	return m, ok && err == nil, err
}

// Matching calls fn with the range of each line that p matches, in order, from
// the line on that the byte at from belongs to, among those that begin before
// to, until fn returns false. No text is made of them: it is how a reader finds
// its way among very many.
func Matching(ctx context.Context, src Source, p *Pattern, from, to int64, fn func(off, end int64) bool) error {
	start, err := LineStart(ctx, src, from)
	if err != nil {
		return err
	}
	return newScanner(src, Query{Filter: p}).forward(ctx, start, to, unknown, func(f found) error {
		if f.gap == 0 && !fn(f.off, f.end) {
			return errStop
		}
		return nil
	})
}
