package logfile

import (
	"bytes"
	"context"
)

// The default block sizes of a walk; see [BlockSizer].
const (
	firstBlock = 64 << 10
	maxBlock   = 512 << 10
)

// A chunk is a sequence of complete lines, or a line that is longer than a block, or the
// hole.
type chunk struct {
	off  int64  // of its first byte
	data []byte // lines; only the last can lack an LF. Valid until the next chunk
	long int64  // if not 0, the chunk is a long line, which ends before this offset
	gap  int64  // if not 0, the chunk is a hole of this length
}

// A walker reads a log in chunks, forward or backward. The two sides of the hole are
// treated as separate logs: the text before the hole is a line even without an LF, and so
// is the text after it.
type walker struct {
	src     Source
	hole    Hole
	size    int64 // end of the log for this walk
	pos     int64 // forward: offset of the next chunk; backward: end of the next chunk
	buf     []byte
	step    int // size of the next block
	maxStep int // up to which step doubles
}

// newWalker returns a walker that starts at pos. If pos is in the hole, the first chunk is
// the rest of the hole.
func newWalker(ctx context.Context, src Source, pos int64) (*walker, error) {
	size, err := src.Size(ctx)
	if err != nil {
		return nil, err
	}
	w := &walker{
		src:     src,
		size:    size,
		pos:     min(max(pos, 0), size),
		step:    firstBlock,
		maxStep: maxBlock,
	}
	if b, ok := src.(BlockSizer); ok {
		w.step, w.maxStep = b.BlockSizes()
	}
	return w, w.refresh(ctx)
}

// refresh gets the current hole, limited to the range of the walk.
func (w *walker) refresh(ctx context.Context) error {
	hole, err := HoleOf(ctx, w.src)
	if err != nil {
		return err
	}
	if hole.Empty() || hole.Start >= w.size {
		hole = Hole{Start: w.size, End: w.size}
	}
	hole.End = min(hole.End, w.size)
	w.hole = hole
	return nil
}

// read reads a range into the walker's buffer. It returns false if the byte at from was
// dropped meanwhile.
func (w *walker) read(ctx context.Context, from, to int64) ([]byte, bool, error) {
	n := int(to - from)
	if cap(w.buf) < n {
		w.buf = make([]byte, max(n, min(2*cap(w.buf), w.maxStep)))
	}
	got, err := readFull(ctx, w.src, w.buf[:n], from)
	if err != nil {
		return nil, false, err
	}
	data := w.buf[:got]
	if bytes.HasPrefix(data, zero) {
		if err := w.refresh(ctx); err != nil {
			return nil, false, err
		}
		if w.hole.Has(from) {
			return nil, false, nil
		}
	}
	if got < n {
		// The file was truncated: the log ends here now.
		w.size = min(w.size, from+int64(got))
	}
	return data, true, nil
}

// grow doubles the block size. It reports false if that is the largest already.
func (w *walker) grow() bool {
	if w.step >= w.maxStep {
		return false
	}
	w.step = min(2*w.step, w.maxStep)
	return true
}

// forward returns the next chunk, false at the end of the log.
func (w *walker) forward(ctx context.Context) (chunk, bool, error) {
	for w.pos < w.size {
		if w.hole.Has(w.pos) {
			c := chunk{off: w.pos, gap: w.hole.End - w.pos}
			w.pos = w.hole.End
			return c, true, nil
		}
		end := w.size
		if w.pos < w.hole.Start {
			end = w.hole.Start
		}
		to := min(end, w.pos+int64(w.step))
		data, ok, err := w.read(ctx, w.pos, to)
		if err != nil {
			return chunk{}, false, err
		}
		if !ok {
			continue
		}
		if to < end && w.pos+int64(len(data)) == to {
			data = data[:bytes.LastIndexByte(data, '\n')+1]
		}
		if len(data) > 0 {
			c := chunk{off: w.pos, data: data}
			w.pos += int64(len(data))
			w.grow()
			return c, true, nil
		}
		if w.pos < w.size && !w.grow() {
			return w.longForward(ctx, end)
		}
	}
	return chunk{}, false, nil
}

// longForward returns the line at pos, which is longer than a block.
func (w *walker) longForward(ctx context.Context, end int64) (chunk, bool, error) {
	start := w.pos
	for w.pos < min(end, w.size) {
		data, ok, err := w.read(ctx, w.pos, min(end, w.pos+int64(w.maxStep)))
		if err != nil {
			return chunk{}, false, err
		}
		if !ok {
			break
		}
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			w.pos += int64(i) + 1
			break
		}
		w.pos += int64(len(data))
	}
	return chunk{off: start, long: w.pos}, true, nil
}

// backward returns the chunk before the last one, false at the beginning of the log. The
// walk must have started at the beginning of a line or at the end of the log.
func (w *walker) backward(ctx context.Context) (chunk, bool, error) {
	for w.pos > 0 {
		if w.pos > w.hole.Start && w.pos <= w.hole.End {
			c := chunk{off: w.hole.Start, gap: w.pos - w.hole.Start}
			w.pos = w.hole.Start
			return c, true, nil
		}
		start := int64(0)
		if w.pos > w.hole.End {
			start = w.hole.End
		}
		from := max(start, w.pos-int64(w.step))
		data, ok, err := w.read(ctx, from, w.pos)
		if err != nil {
			return chunk{}, false, err
		}
		if w.pos > w.size {
			w.pos = w.size // truncated
			ok = false
		}
		if !ok {
			continue
		}
		if from > start {
			// The first line of the block is incomplete and belongs to the next chunk.
			first := bytes.IndexByte(data, '\n') + 1
			if first == 0 || first == len(data) {
				if w.grow() {
					continue
				}
				return w.longBackward(ctx, start, from)
			}
			data, from = data[first:], from+int64(first)
		}
		w.pos = from
		if len(data) > 0 {
			w.grow()
			return chunk{off: from, data: data}, true, nil
		}
	}
	return chunk{}, false, nil
}

// longBackward returns the line that ends at pos and begins before from, but not before
// start.
func (w *walker) longBackward(ctx context.Context, start, from int64) (chunk, bool, error) {
	end := w.pos
	w.pos = start
	for to := from; to > start; {
		at := max(start, to-int64(w.maxStep))
		data, ok, err := w.read(ctx, at, to)
		if err != nil {
			return chunk{}, false, err
		}
		if !ok {
			w.pos = min(w.hole.End, end)
			break
		}
		if i := bytes.LastIndexByte(data, '\n'); i >= 0 {
			w.pos = at + int64(i) + 1
			break
		}
		to = at
	}
	return chunk{off: w.pos, long: end}, true, nil
}
