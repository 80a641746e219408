package logfile

import (
	"bytes"
	"context"
)

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
		if l.open && !rest && (hole.Empty() || l.end != hole.Start) {
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
