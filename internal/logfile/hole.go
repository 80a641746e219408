package logfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/hobjobs/hob/internal/units"
)

// Head is the number of bytes at the beginning of a log that are never dropped.
const Head = 1 << 20

// A Hole is the range of bytes that were dropped from a log to keep its limit. The zero
// value is an empty hole. A hole starts at [Head], and its end only grows.
type Hole struct {
	Start int64 `json:"start"`
	End   int64 `json:"end"`
	// Lines is the number of line feeds in the hole, -1 if unknown.
	Lines int64 `json:"lines"`
}

// Len returns the number of bytes dropped.
func (h Hole) Len() int64 { return h.End - h.Start }

// Empty reports whether nothing was dropped.
func (h Hole) Empty() bool { return h.End <= h.Start }

// Has reports whether the byte at off was dropped.
func (h Hole) Has(off int64) bool { return off >= h.Start && off < h.End }

// startsAt reports whether the bytes from off on were dropped.
func (h Hole) startsAt(off int64) bool { return !h.Empty() && h.Start == off }

// uncounted reports whether it is unknown how many lines were dropped.
func (h Hole) uncounted() bool { return !h.Empty() && h.Lines < 0 }

// torn returns the number of bytes at the beginning of p, which starts at off, that belong
// to a character whose first bytes were dropped.
func (h Hole) torn(p []byte, off int64) int {
	if h.Empty() || off != h.End {
		return 0
	}
	return ContinuationPrefix(p)
}

type Piece struct {
	N       int   // bytes read into the buffer
	Off     int64 // offset of the first of them; after the requested offset if that was dropped
	Dropped int64 // bytes skipped between the requested offset and Off
	Size    int64 // size of the log at the time of the read
}

// Next returns the offset at which to continue.
func (p Piece) Next() int64 { return p.Off + int64(p.N) }

// Read reads bytes from off on. An offset inside the hole is moved to its end, and one
// after the end of the log to that end. One read never crosses the hole. At the end of the
// log N is 0, without an error.
func Read(ctx context.Context, src Source, p []byte, off int64) (Piece, error) {
	size, err := src.Size(ctx)
	if err != nil {
		return Piece{}, err
	}
	off = min(max(off, 0), size)
	for {
		hole, err := HoleOf(ctx, src)
		if err != nil {
			return Piece{}, err
		}
		at := off
		if hole.Has(off) {
			at = min(hole.End, size)
		}
		end := size
		if at < hole.Start && !hole.Empty() {
			end = min(end, hole.Start)
		}
		buf := p[:min(int64(len(p)), end-at)]
		n, err := readFull(ctx, src, buf, at)
		if err != nil {
			return Piece{}, err
		}
		if bytes.HasPrefix(buf[:n], zero) {
			// The hole may have grown during the read.
			again, err := HoleOf(ctx, src)
			if err != nil {
				return Piece{}, err
			}
			if again.Has(at) {
				continue
			}
		}
		return Piece{N: n, Off: at, Dropped: at - off, Size: size}, nil
	}
}

// readFull fills p from off on. It returns fewer bytes only at the end of the log.
func readFull(ctx context.Context, src Source, p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		m, err := src.ReadAt(ctx, p[n:], off+int64(n))
		n += m
		switch {
		case errors.Is(err, io.EOF):
			return n, nil
		case err != nil:
			return n, err
		case m == 0:
			return n, nil
		}
	}
	return n, nil
}

// zero is how a read returns a byte that was dropped after the hole was looked up.
var zero = []byte{0}

// findHole returns the hole at [Head] according to the file system.
func findHole(f *os.File) (Hole, error) {
	info, err := f.Stat()
	if err != nil {
		return Hole{}, err
	}
	if info.Size() <= Head {
		return Hole{}, nil
	}
	end, ok := dataAfterHole(f, Head, info.Size())
	if !ok {
		return Hole{}, nil
	}
	return Hole{Start: Head, End: end, Lines: -1}, nil
}

const (
	// MinLimit is the smallest limit: the head and as many bytes after it.
	MinLimit = 2 * Head

	// grain is the granularity of holes: a multiple of the block size of all file
	// systems that can free blocks.
	grain   = 64 << 10
	maxStep = 256 << 20
)

// ErrNoHoles is the error for a file system that cannot free bytes inside a file, so that
// its logs cannot be limited.
var ErrNoHoles = errors.New("this file system cannot free the beginning of a file")

// farOffset is beyond the end of a new log.
const farOffset = 1 << 31

// CheckPunch checks whether a log that is open for writing and shorter than 2 GiB can be
// limited. The error matches [ErrNoHoles] if the file system does not support that. It
// changes nothing, because it punches a hole beyond the end of the file. The log may grow
// meanwhile.
func CheckPunch(f *os.File) error { return punchRange(f, farOffset, grain) }

// NextHole returns the hole that a log with the given size and limit must have: h unless
// more than limit bytes are kept, else a hole that ends at the next multiple of a step.
// With steps of about 1/64 of the limit, bytes are freed rarely enough that the cost is
// negligible. A limit below [MinLimit] is raised to it. If the hole grows, the number of
// its lines is unknown.
func NextHole(h Hole, size, limit int64) Hole {
	limit = max(limit, MinLimit)
	if size-h.Len() <= limit {
		return h
	}
	step := stepOf(limit)
	return Hole{Start: Head, End: Head + (size-limit+step-1)/step*step, Lines: -1}
}

// stepOf returns the number of bytes by which the hole of a log with this limit grows at a
// time.
func stepOf(limit int64) int64 {
	return min(max(limit/64/grain*grain, grain), maxStep)
}

// Punch enforces the limit of a log that another process writes. f is the log, open for
// writing; h is its current hole (the zero value is correct but slower); held is as in
// [Config]. Punch returns the new hole, and whether held bytes keep the log above its
// limit. Call it whenever the log may have grown; most calls do nothing. A limit of 0
// means no limit.
func Punch(f *os.File, h Hole, limit int64, held HeldFunc) (hole Hole, over bool, err error) {
	if limit <= 0 {
		return h, false, nil
	}
	info, err := f.Stat()
	if err != nil {
		return h, false, err
	}
	due, over := held.exclude(h, NextHole(h, info.Size(), limit), limit)
	if due == h {
		return h, over, nil
	}
	return due, over, FreeHole(f, h, due)
}

// HeldFunc returns the offset of the first byte between from and to that a reader still
// needs, to if there is none. A nil HeldFunc means that no bytes are needed.
type HeldFunc func(from, to int64) int64

// exclude returns due, the hole that is to replace h, without held bytes, and reports
// whether there are any.
func (held HeldFunc) exclude(h, due Hole, limit int64) (spared Hole, over bool) {
	if held == nil || due.End <= h.End {
		return due, false
	}
	first := held(max(Head, h.End), due.End)
	if first >= due.End {
		return due, false
	}
	step := stepOf(max(limit, MinLimit))
	due.End = Head + (first-Head)/step*step
	if due.End <= max(Head, h.End) {
		return h, true
	}
	return due, true
}

// FreeHole frees the bytes of due that are not in h. A caller that records the hole must
// record due first: otherwise a reader could read zeros from a hole that it does not know.
func FreeHole(f *os.File, h, due Hole) error {
	from := due.Start
	if !h.Empty() {
		from = h.End
	}
	if err := punchRange(f, from, due.End-from); err != nil {
		return fmt.Errorf("free %s of the log: %w", units.FormatBytes(due.End-from), err)
	}
	return nil
}

// dataAfterHole returns the end of the hole that starts exactly at off in a file of the
// given size. It returns false if there is data at off or the file system does not report
// holes.
func dataAfterHole(f *os.File, off, size int64) (int64, bool) {
	at, err := f.Seek(off, seekHole)
	if err != nil || at != off {
		return 0, false
	}
	end, err := f.Seek(off, seekData)
	if errors.Is(err, syscall.ENXIO) {
		return size, true
	}
	return end, err == nil && end > off
}
