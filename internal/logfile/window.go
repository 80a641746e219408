package logfile

import (
	"bytes"
	"context"
	"math"
)

// A Line is one line of a log, or a gap: a marker for its hole.
type Line struct {
	// Number counts from 0. It is -1 if unknown, and for a gap.
	Number int64
	// Off and End are the range of the line in the log, including LF. End is the
	// beginning of the next line.
	Off, End int64
	// Text is what a terminal would show, without the LF.
	Text string
	// Open means that the line has no LF: it may still grow.
	Open bool
	// Cut is the number of bytes of text beyond those that a line keeps.
	Cut int64
	// Gap, if not 0, is the number of dropped bytes that this gap represents.
	Gap int64
	// Raw is the line as written, without its LF and without bytes at Off that belong to a
	// character whose first bytes were dropped. RawCut is set if it is longer than MaxRaw.
	Raw    []byte
	RawCut bool
}

// MaxRaw is the largest number of bytes in Line.Raw, in whole characters.
const MaxRaw = 64 << 10

type Query struct {
	// Limit is the maximum number of lines, not counting gaps; 0 or less means all.
	Limit int64
	// Filter selects the lines that it matches, Exclude removes the lines that it
	// matches; either is optional. Gaps are always reported.
	Filter, Exclude *Pattern
	// Numbered requests line numbers even if that requires reading all of the log
	// before the lines.
	Numbered bool
}

// Tail calls fn for the last q.Limit lines that match q, oldest first. Unless q.Numbered,
// their numbers are unknown and only the end of the log is read.
func Tail(ctx context.Context, src Source, q Query, fn func(Line) error) error {
	size, err := src.Size(ctx)
	if err != nil {
		return err
	}
	return Before(ctx, src, size, q, fn)
}

// From calls fn for the lines that match q, from the line with the given number on. If
// that line was dropped, From begins with the gap.
func From(ctx context.Context, src Source, number int64, q Query, fn func(Line) error) error {
	off, number, ok, err := find(ctx, src, number)
	if err != nil || !ok { // lines written meanwhile may have smaller numbers
		return err
	}
	return forward(ctx, src, off, math.MaxInt64, number, q, fn)
}

// After calls fn for the lines that match q, from off on, which must be the beginning of a
// line or in the hole. number is the number of that line, -1 if unknown.
func After(ctx context.Context, src Source, off, number int64, q Query, fn func(Line) error) error {
	return forward(ctx, src, off, math.MaxInt64, number, q, fn)
}

// Before calls fn for the last q.Limit lines that match q and begin before off, oldest
// first. off must be the beginning of a line or the end of the log. Unless q.Numbered,
// their numbers are unknown.
func Before(ctx context.Context, src Source, off int64, q Query, fn func(Line) error) error {
	from, err := int64(0), error(nil)
	if q.Limit > 0 {
		if from, err = startOfLast(ctx, src, off, q.Limit, q); err != nil {
			return err
		}
	}
	number := int64(unknown)
	if q.Numbered || from == 0 {
		if number, err = numberAt(ctx, src, from); err != nil {
			return err
		}
	}
	q.Limit = 0
	return forward(ctx, src, from, off, number, q, fn)
}

// forward is scanner.forward with a limit and rendered lines.
func forward(ctx context.Context, src Source, from, to, number int64, q Query, fn func(Line) error) error {
	s := newScanner(src, q)
	left := q.Limit
	var ferr error
	err := s.forward(ctx, from, to, number, func(f rawLine) error {
		if ferr = fn(s.line(f)); ferr != nil {
			return errStop
		}
		if f.gap > 0 || q.Limit <= 0 {
			return nil
		}
		if left--; left == 0 {
			return errStop
		}
		return nil
	})
	if ferr != nil {
		return ferr
	}
	return err
}

// startOfLast returns the beginning of the limit-th matching line before off. If there are
// fewer, it returns the beginning of the first one or of the gap before it.
func startOfLast(ctx context.Context, src Source, off, limit int64, q Query) (int64, error) {
	w, err := newWalker(ctx, src, off)
	if err != nil {
		return 0, err
	}
	s := newScanner(src, q)
	begin := w.pos
	var starts []int
	for {
		c, ok, err := w.backward(ctx)
		if err != nil || !ok {
			return begin, err
		}
		switch {
		case c.gap > 0:
			begin = c.off
		case c.data != nil:
			starts = starts[:0]
			s.lines(c.data, func(start, _ int) bool {
				starts = append(starts, start)
				return true
			})
			if int64(len(starts)) >= limit {
				return c.off + int64(starts[int64(len(starts))-limit]), nil
			}
			limit -= int64(len(starts))
			if len(starts) > 0 {
				begin = c.off + int64(starts[0])
			}
		case c.long > c.off:
			f, err := s.longLine(ctx, c, w.hole)
			if err != nil {
				return 0, err
			}
			if !s.wantsText(f.text) {
				continue
			}
			begin = c.off
			if limit--; limit == 0 {
				return c.off, nil
			}
		}
	}
}

// LineStart returns the beginning of the line that contains the byte at off. For an offset
// in the hole it returns the start of the hole. An offset after the end of the log is moved
// to that end, which belongs to the last line if that has no LF.
func LineStart(ctx context.Context, src Source, off int64) (int64, error) {
	w, err := newWalker(ctx, src, off)
	if err != nil {
		return 0, err
	}
	if w.hole.Has(w.pos) {
		return w.hole.Start, nil
	}
	start := int64(0)
	if !w.hole.Empty() && w.pos >= w.hole.End {
		start = w.hole.End
	}
	for to := w.pos; to > start; {
		from := max(start, to-int64(w.step))
		data, ok, err := w.read(ctx, from, to)
		if err != nil {
			return 0, err
		}
		if !ok {
			return w.hole.Start, nil
		}
		if i := bytes.LastIndexByte(data, '\n'); i >= 0 {
			return from + int64(i) + 1, nil
		}
		to = from
		w.grow()
	}
	return start, nil
}

// MatchingLines calls fn with the range of each line that p matches, in order, until fn
// returns false. It begins with the line that contains the byte at from, and ends before
// the first line at to or later. It does not render the lines, and is therefore fast for
// very many of them.
func MatchingLines(ctx context.Context, src Source, p *Pattern, from, to int64, fn func(off, end int64) bool) error {
	start, err := LineStart(ctx, src, from)
	if err != nil {
		return err
	}
	return newScanner(src, Query{Filter: p}).forward(ctx, start, to, unknown, func(f rawLine) error {
		if f.gap > 0 || f.end <= from { // nothing was added at the end
			return nil
		}
		if !fn(f.off, f.end) {
			return errStop
		}
		return nil
	})
}

// A Follower reads lines that are appended to a log. The caller must detect when to read
// again. A Follower must not be used concurrently.
type Follower struct {
	src    Source
	q      Query
	off    int64
	number int64
	seen   int64 // the line at off has no LF before this offset
}

// NewFollower returns a Follower of src from off on, which must be the beginning of a
// line. number is the number of that line, -1 if unknown. q.Limit is ignored.
func NewFollower(src Source, off, number int64, q Query) *Follower {
	q.Limit = 0
	return &Follower{src: src, q: q, off: off, number: number}
}

// Read calls fn for each line that was completed since the last call. A line without LF is
// not delivered before its LF is written, except by [Follower.Rest].
func (f *Follower) Read(ctx context.Context, fn func(Line) error) error {
	return f.read(ctx, false, fn)
}

// Rest is Read that also delivers a last line without LF. Call it when the log is complete.
func (f *Follower) Rest(ctx context.Context, fn func(Line) error) error {
	return f.read(ctx, true, fn)
}

func (f *Follower) read(ctx context.Context, rest bool, fn func(Line) error) error {
	size, err := f.src.Size(ctx)
	if err != nil {
		return err
	}
	hole, err := HoleOf(ctx, f.src)
	if err != nil {
		return err
	}
	if !rest {
		// Do not read a long line again and again while it grows.
		if more, err := f.ended(ctx, size, hole); err != nil || !more {
			return err
		}
	}
	// Scan without the filters, so that f.off advances past lines that do not match.
	s := newScanner(f.src, f.q)
	all := *s
	all.filter, all.exclude = nil, nil
	return all.forward(ctx, f.off, size, f.number, func(l rawLine) error {
		grows := l.open && !hole.startsAt(l.end)
		if grows && !rest {
			f.seen = max(f.seen, l.end)
			return errStop
		}
		f.off, f.number = l.end, l.number
		if l.gap == 0 {
			f.number = advance(l.number, lineFeeds(!l.open))
		}
		if !s.wants(l) {
			return nil
		}
		return fn(s.line(l))
	})
}

// ended reports whether the line at f.off may have an LF now.
func (f *Follower) ended(ctx context.Context, size int64, hole Hole) (bool, error) {
	if f.seen <= f.off || !hole.Empty() && f.off < hole.End {
		return true, nil
	}
	w, err := newWalker(ctx, f.src, f.seen)
	if err != nil {
		return false, err
	}
	for f.seen < size {
		data, ok, err := w.read(ctx, f.seen, min(size, f.seen+int64(w.maxStep)))
		if err != nil {
			return false, err
		}
		if !ok || len(data) == 0 || bytes.IndexByte(data, '\n') >= 0 {
			return true, nil
		}
		f.seen += int64(len(data))
	}
	return false, nil
}
