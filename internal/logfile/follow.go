package logfile

import (
	"bytes"
	"context"
)

// A Follower reads what is appended to a log, line by line. Knowing when there
// is more is its caller's business. For one goroutine.
type Follower struct {
	src    Source
	q      Query
	off    int64
	number int64
	seen   int64 // up to here no LF ends the line at off
}

// NewFollower follows src from off on, which must be the beginning of a line;
// number is its number, -1 if unknown. q.Limit is not looked at.
func NewFollower(src Source, off, number int64, q Query) *Follower {
	q.Limit = 0
	return &Follower{src: src, q: q, off: off, number: number}
}

// Offset is the beginning of the first line that was not given yet.
func (f *Follower) Offset() int64 { return f.off }

// Read calls fn for each complete line that has come since the last call. What
// stands behind the last LF waits until its LF comes, or for [Follower.Rest].
func (f *Follower) Read(ctx context.Context, fn func(Line) error) error {
	return f.read(ctx, false, fn)
}

// Rest is Read, and then gives the last line without its LF too. To be called
// when the log is complete.
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
		// A line without end is not read again and again while it grows.
		if more, err := f.ended(ctx, size, hole); err != nil || !more {
			return err
		}
	}
	// Lines are found unfiltered, so that the place is kept behind those
	// that are not wanted.
	s := newScanner(f.src, f.q)
	all := *s
	all.filter, all.exclude = nil, nil
	return all.forward(ctx, f.off, size, f.number, func(l found) error {
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

// ended tells whether the line at the follower's place has an end by now.
func (f *Follower) ended(ctx context.Context, size int64, hole Hole) (bool, error) {
	if f.seen <= f.off || !hole.Empty() && f.off < hole.End {
		return true, nil
	}
	w, err := newWalker(ctx, f.src, f.seen)
	if err != nil {
		return false, err
	}
	for f.seen < size {
		data, ok, err := w.read(ctx, f.seen, min(size, f.seen+int64(w.most)))
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
