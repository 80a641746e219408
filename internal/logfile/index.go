package logfile

import (
	"bytes"
	"context"
	"math"
	"sort"
	"sync"
)

const (
	indexStride = 64 << 10
	indexMarks  = 16 << 10 // at most: 128 KiB, and 1 GiB at the first stride
)

// An Index knows the line number at every so many bytes of a log, so that a
// reader who stays (a log pane) finds any line by number, and the number of any
// line, by reading a block. It takes a bounded amount of memory: the longer the
// log, the fewer marks per byte. It is safe for concurrent use.
//
// Numbers are those of the package comment, but lines that an index has seen
// keep theirs when they are dropped uncounted later.
type Index struct {
	grow sync.Mutex // held by the one that extends it

	mu     sync.Mutex
	stride int64
	marks  []int64 // marks[i] is the number of line feeds before i*stride
	base   int64   // before it lines have no number
	pos    int64   // up to here it has counted
	number int64   // of the line at pos
	open   bool    // pos is not the beginning of a line
}

// NewIndex makes an index of nothing.
func NewIndex() *Index { return &Index{stride: indexStride} }

// Extend counts on, at most budget bytes (0 means all there are), and says
// whether it has reached the end of the log.
func (x *Index) Extend(ctx context.Context, src Source, budget int64) (done bool, err error) {
	x.grow.Lock()
	defer x.grow.Unlock()

	w, err := newWalker(ctx, src, x.pos)
	if err != nil {
		return false, err
	}
	c := &counter{w: w, number: x.number, head: x.number, open: x.open}
	if x.pos == 0 && !w.hole.Empty() && w.hole.Lines < 0 {
		w.pos = w.hole.End
		x.base = w.hole.End
	}
	stop := w.size
	if budget > 0 {
		stop = min(stop, w.pos+budget)
	}
	for {
		x.note(c)
		if w.pos >= min(stop, w.size) {
			return w.pos >= w.size, nil
		}
		if err := c.upTo(ctx, min(stop, x.nextMark()), math.MaxInt64); err != nil {
			return false, err
		}
	}
}

// nextMark is the offset of the mark that comes next. Only extending moves it.
func (x *Index) nextMark() int64 { return int64(len(x.marks)) * x.stride }

// note takes over what was counted, and sets the marks that were reached.
func (x *Index) note(c *counter) {
	x.mu.Lock()
	defer x.mu.Unlock()
	// Where a hole was jumped over, the marks in it stand for its beginning.
	for x.nextMark() < c.w.pos {
		x.mark(c.head)
	}
	if x.nextMark() == c.w.pos {
		x.mark(c.number)
	}
	x.pos, x.number, x.open = c.w.pos, c.number, c.open
}

func (x *Index) mark(number int64) {
	x.marks = append(x.marks, number)
	if len(x.marks) < indexMarks {
		return
	}
	for i := range len(x.marks) / 2 {
		x.marks[i] = x.marks[2*i]
	}
	x.marks = x.marks[:len(x.marks)/2]
	x.stride *= 2
}

// Lines is the number of lines counted so far, the last one included if it has
// no LF yet, and the offset up to which they were counted.
func (x *Index) Lines() (lines, upTo int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.number + lineFeeds(x.open), x.pos
}

// Number is the number of the line that the byte at off belongs to; -1 if the
// index does not reach so far yet, or the line has no number.
func (x *Index) Number(ctx context.Context, src Source, off int64) (int64, error) {
	w, err := newWalker(ctx, src, off)
	if err != nil {
		return unknown, err
	}
	if w.hole.Has(w.pos) {
		return unknown, nil
	}
	at, number, ok := x.anchor(w.pos, w.hole)
	switch {
	case !ok:
		return unknown, nil
	case at > w.pos:
		n, err := countRange(ctx, w, w.pos, at)
		return number - n, err
	default:
		n, err := countRange(ctx, w, at, w.pos)
		return number + n, err
	}
}

// anchor is a known number near off, with no hole in between.
func (x *Index) anchor(off int64, hole Hole) (at, number int64, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if off > x.pos || off < x.base || len(x.marks) == 0 {
		return 0, 0, false
	}
	i := min(off/x.stride, int64(len(x.marks)-1))
	if at := i * x.stride; at >= x.base && (off < hole.Start || at >= hole.End) {
		return at, x.marks[i], true
	}
	// The mark before is gone: count back from the one after.
	if i++; i < int64(len(x.marks)) {
		return i * x.stride, x.marks[i], true
	}
	return x.pos, x.number, true
}

// countRange counts the line feeds of a range that no hole is in.
func countRange(ctx context.Context, w *walker, from, to int64) (int64, error) {
	n := int64(0)
	for from < to {
		data, ok, err := w.read(ctx, from, min(to, from+int64(w.most)))
		if err != nil || !ok || len(data) == 0 {
			return n, err
		}
		n += int64(bytes.Count(data, lf))
		from += int64(len(data))
	}
	return n, nil
}

// Offset is where the line of that number begins, and the number of the line
// that begins there: a dropped line gives the beginning of the hole and -1. ok
// is false if the index does not reach so far (yet).
func (x *Index) Offset(ctx context.Context, src Source, number int64) (off, at int64, ok bool, err error) {
	w, err := newWalker(ctx, src, 0)
	if err != nil {
		return 0, 0, false, err
	}
	from, have, ok := x.before(number)
	if !ok {
		return 0, 0, false, nil
	}
	if w.hole.Has(from) {
		from = w.hole.End
		if have, err = x.Number(ctx, src, from); err != nil || have == unknown {
			return 0, 0, false, err
		}
		if have >= number {
			return w.hole.Start, unknown, true, nil
		}
	}
	w.pos = from
	c := &counter{w: w, number: have, head: have}
	if have < number {
		if err := c.upTo(ctx, math.MaxInt64, number); err != nil {
			return 0, 0, false, err
		}
	}
	if c.number < number {
		return 0, 0, false, nil
	}
	return w.pos, c.number, true, nil
}

// before is the last mark before the beginning of line number.
func (x *Index) before(number int64) (off, have int64, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if number < 0 || number > x.number || len(x.marks) == 0 {
		return 0, 0, false
	}
	i := sort.Search(len(x.marks), func(i int) bool { return x.marks[i] >= number && int64(i)*x.stride >= x.base }) - 1
	if at := int64(i) * x.stride; i >= 0 && at >= x.base {
		return at, x.marks[i], true
	}
	return x.base, 0, true
}
