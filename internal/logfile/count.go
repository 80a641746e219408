package logfile

import (
	"bytes"
	"context"
	"math"
)

// Count returns the number of lines of a log, including dropped ones if they were counted.
// It reads the whole log.
func Count(ctx context.Context, src Source) (int64, error) {
	size, err := src.Size(ctx)
	if err != nil {
		return 0, err
	}
	c, err := newCounter(ctx, src)
	if err != nil {
		return 0, err
	}
	if err := c.upTo(ctx, size, math.MaxInt64); err != nil {
		return 0, err
	}
	return c.number + lineFeeds(c.open), nil
}

// numberAt returns the number of the line that begins at off.
func numberAt(ctx context.Context, src Source, off int64) (int64, error) {
	c, err := newCounter(ctx, src)
	if err != nil {
		return 0, err
	}
	if numberAfterUncounted(c.w.hole, off, 0) == unknown {
		return unknown, nil
	}
	err = c.upTo(ctx, off, math.MaxInt64)
	return c.number, err
}

// find returns the offset of a line and the number of the line at that offset. If the line
// was dropped, that is an earlier line, so that a walk from there begins with the gap. ok
// is false if the log has fewer lines.
func find(ctx context.Context, src Source, number int64) (off, at int64, ok bool, err error) {
	c, err := newCounter(ctx, src)
	if err != nil {
		return 0, 0, false, err
	}
	if number <= 0 {
		if c.w.pos > 0 { // numbers begin after the hole, which is shown first
			return c.w.hole.Start, unknown, true, nil
		}
		return 0, 0, true, nil
	}
	err = c.upTo(ctx, math.MaxInt64, number)
	return c.w.pos, c.number, c.number >= number || c.w.pos < c.w.size, err
}

// A counter counts line feeds from the beginning of a log.
type counter struct {
	w      *walker
	number int64 // of the line that contains w.pos
	head   int64 // number at the beginning of the hole, once w.pos has passed that
	open   bool  // w.pos is not the beginning of a line
}

// newCounter returns a counter that starts at the beginning of the log, or after a hole
// whose lines were not counted.
func newCounter(ctx context.Context, src Source) (*counter, error) {
	w, err := newWalker(ctx, src, 0)
	if err != nil {
		return nil, err
	}
	c := &counter{w: w}
	if numberAfterUncounted(w.hole, w.pos, 0) == unknown {
		w.pos = w.hole.End
	}
	return c, nil
}

// upTo counts until the walk reaches off, the line with the given number, a hole that
// contains the beginning of that line, or the end of the log.
func (c *counter) upTo(ctx context.Context, off, number int64) error {
	w := c.w
	for w.pos < min(off, w.size) && c.number < number {
		if w.hole.Has(w.pos) {
			if w.pos == w.hole.Start {
				c.head = c.number
			}
			behind := c.head + w.hole.Lines
			if w.hole.Lines < 0 { // the hole appeared or grew during the count
				behind, c.open = 0, false
			}
			if behind >= number {
				return nil
			}
			c.number, w.pos = behind, w.hole.End
			continue
		}
		end := min(off, w.size)
		if w.pos < w.hole.Start {
			end = min(end, w.hole.Start)
		}
		data, ok, err := w.read(ctx, w.pos, min(end, w.pos+int64(w.step)))
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		c.countBlock(data, number)
		w.grow()
	}
	return nil
}

// countBlock counts the lines of a block, up to the line with the given number.
func (c *counter) countBlock(data []byte, number int64) {
	if len(data) == 0 {
		return
	}
	n := int64(bytes.Count(data, lf))
	if c.number+n >= number {
		data = data[:nthLineFeed(data, number-c.number)+1]
		n = number - c.number
	}
	c.number += n
	c.w.pos += int64(len(data))
	c.open = data[len(data)-1] != '\n'
}

// nthLineFeed returns the index of the n-th LF of data, counted from 1. It must exist.
func nthLineFeed(data []byte, n int64) int {
	// Counting halves of a block is faster than searching for one LF after another.
	base := 0
	for len(data) > 4<<10 {
		half := len(data) / 2
		if have := int64(bytes.Count(data[:half], lf)); have >= n {
			data = data[:half]
		} else {
			n, base, data = n-have, base+half, data[half:]
		}
	}
	at := -1
	for range n {
		at += 1 + bytes.IndexByte(data[at+1:], '\n')
	}
	return base + at
}
