package logfile

import (
	"bytes"
	"context"
	"math"
)

// A Line is one line of a log, or the mark that stands for its hole.
type Line struct {
	// Number counts from 0; -1 where nobody knows it, and for a gap.
	Number int64
	// Off and End are the bytes of the log that the line is made of, LF
	// included. End is where the next line begins.
	Off, End int64
	// Text is what a terminal would show of it, without the LF.
	Text string
	// Open says that no LF ended it: it may still grow.
	Open bool
	// Cut is how many more bytes of text it had than were asked for.
	Cut int64
	// Gap, if not 0, makes this no line but the mark for so many dropped
	// bytes; Text is [GapText].
	Gap int64
	// Torn is how many of the bytes from Off on belong to a character whose first
	// bytes were dropped. Text does not have them.
	Torn int
}

// A Query says which lines are wanted and how.
type Query struct {
	// Limit is the number of lines at most; 0 or less means all. A gap is not
	// counted.
	Limit int64
	// Filter keeps the lines it matches, Exclude drops those it matches;
	// either works without the other. A gap is always told.
	Filter, Exclude *Pattern
	// Width is how many bytes of text a line has at most, 0 means
	// [DefaultWidth].
	Width int
	// Numbered asks for line numbers where finding them costs reading all of
	// the log before.
	Numbered bool
}

// Tail calls fn for the last q.Limit lines that q wants, oldest first. Unless
// q.Numbered, their numbers are unknown and only the end of the log is read.
func Tail(ctx context.Context, src Source, q Query, fn func(Line) error) error {
	size, err := src.Size(ctx)
	if err != nil {
		return err
	}
	from, number := int64(0), int64(0)
	if q.Limit > 0 {
		from, err = startOf(ctx, src, size, q.Limit, q)
		if err != nil {
			return err
		}
		number = unknown
		if q.Numbered || from == 0 {
			number, err = numberAt(ctx, src, from)
			if err != nil {
				return err
			}
		}
	}
	q.Limit = 0
	return forward(ctx, src, from, size, number, q, fn)
}

// From calls fn for the lines that q wants from line number on, at most
// q.Limit. If that line was dropped it begins with the gap.
func From(ctx context.Context, src Source, number int64, q Query, fn func(Line) error) error {
	off, number, ok, err := find(ctx, src, number)
	if err != nil || !ok { // what comes meanwhile are lines before it
		return err
	}
	return forward(ctx, src, off, math.MaxInt64, number, q, fn)
}

// After calls fn for the lines that q wants from off on, which must be the
// beginning of a line (or in the hole). number is that line's number if the
// caller knows it, else -1.
func After(ctx context.Context, src Source, off, number int64, q Query, fn func(Line) error) error {
	return forward(ctx, src, off, math.MaxInt64, number, q, fn)
}

// Before calls fn for the last q.Limit lines that q wants among those that
// begin before off, oldest first. off must be the beginning of a line or the
// end of the log. Their numbers are unknown unless q.Numbered.
func Before(ctx context.Context, src Source, off int64, q Query, fn func(Line) error) error {
	from, err := int64(0), error(nil)
	if q.Limit > 0 {
		if from, err = startOf(ctx, src, off, q.Limit, q); err != nil {
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

// forward is scanner.forward with a limit, for callers' lines.
func forward(ctx context.Context, src Source, from, to, number int64, q Query, fn func(Line) error) error {
	s := newScanner(src, q)
	left := q.Limit
	var ferr error
	err := s.forward(ctx, from, to, number, func(f found) error {
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

// startOf is where the limit-th wanted line before off begins. If there are not
// as many it is where the first of them begins, or the gap before it.
func startOf(ctx context.Context, src Source, off, limit int64, q Query) (int64, error) {
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

// LineStart is the beginning of the line that the byte at off belongs to; an
// offset in the hole gives the hole's start, one behind the log its end.
func LineStart(ctx context.Context, src Source, off int64) (int64, error) {
	w, err := newWalker(ctx, src, off)
	if err != nil {
		return 0, err
	}
	if w.hole.Has(w.pos) {
		return w.hole.Start, nil
	}
	start := int64(0)
	if w.pos >= w.hole.End {
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
