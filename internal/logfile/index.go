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
	indexMarks  = 16 << 10 // maximum: 128 KiB of memory for 1 GiB of log at the first stride
)

// An Index has the line numbers at regular offsets of a log, so that a long-lived reader,
// such as a log pane, finds a line by its number, or the number of a line, by reading one
// block. Its memory is bounded: the longer the log, the larger the stride. It is safe for
// concurrent use.
//
// Line numbers are those of the package comment, except that lines counted by an index
// keep their numbers if they are dropped uncounted later.
type Index struct {
	grow sync.Mutex // held during Extend

	mu     sync.Mutex
	stride int64
	marks  []int64 // marks[i] is the number of line feeds before i*stride
	base   int64   // lines before this offset have no number
	pos    int64   // lines are counted up to this offset
	number int64   // of the line at pos
	open   bool    // pos is not the beginning of a line
}

func NewIndex() *Index { return &Index{stride: indexStride} }

// Extend counts lines in at most budget more bytes (0 means all), and reports whether it
// has reached the end of the log.
func (x *Index) Extend(ctx context.Context, src Source, budget int64) (done bool, err error) {
	x.grow.Lock()
	defer x.grow.Unlock()

	w, err := newWalker(ctx, src, x.pos)
	if err != nil {
		return false, err
	}
	c := &counter{w: w, number: x.number, head: x.number, open: x.open}
	if x.pos == 0 && w.hole.uncounted() {
		w.pos = w.hole.End
		x.base = w.hole.End
	}
	stop := w.size
	if budget > 0 {
		stop = min(stop, w.pos+budget)
	}
	for {
		x.update(c)
		if w.pos >= min(stop, w.size) {
			return w.pos >= w.size, nil
		}
		if err := c.upTo(ctx, min(stop, x.nextMark()), math.MaxInt64); err != nil {
			return false, err
		}
	}
}

// nextMark returns the offset of the next mark. Only Extend changes it.
func (x *Index) nextMark() int64 { return int64(len(x.marks)) * x.stride }

// update copies the state of c and adds the marks up to its offset.
func (x *Index) update(c *counter) {
	x.mu.Lock()
	defer x.mu.Unlock()
	// Marks inside a hole get the number of its beginning.
	for x.nextMark() < c.w.pos {
		x.addMark(c.head)
	}
	if x.nextMark() == c.w.pos {
		x.addMark(c.number)
	}
	x.pos, x.number, x.open = c.w.pos, c.number, c.open
}

func (x *Index) addMark(number int64) {
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

// Lines returns the number of lines counted so far, including a last line without LF, and
// the offset up to which they were counted.
func (x *Index) Lines() (lines, upTo int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.number + lineFeeds(x.open), x.pos
}

// Number returns the number of the line that contains the byte at off, -1 if the index does
// not reach that far yet or the line has no number.
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

// anchor returns a known line number near off, with no hole between them.
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
	// The mark before off was dropped: count back from the one after it.
	if i++; i < int64(len(x.marks)) {
		return i * x.stride, x.marks[i], true
	}
	return x.pos, x.number, true
}

// countRange counts the line feeds in a range without a hole.
func countRange(ctx context.Context, w *walker, from, to int64) (int64, error) {
	w.pos = from
	c := &counter{w: w}
	err := c.upTo(ctx, to, math.MaxInt64)
	return c.number, err
}

// Offset returns the offset of the line with the given number, and the number of the line
// at that offset. For a dropped line it returns the beginning of the hole and -1. ok is
// false if the index does not reach that far.
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

// before returns the last mark before the line with the given number.
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
