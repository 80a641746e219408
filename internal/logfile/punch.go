package logfile

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

const (
	// DefaultLimit is how many bytes of a log are kept unless told otherwise.
	DefaultLimit = 1 << 30
	// MinLimit is the smallest limit: the head and as much behind it.
	MinLimit = 2 * Head

	// grain divides every offset that is freed from or to, and is a multiple
	// of the block size of the file systems that can free blocks.
	grain   = 64 << 10
	maxStep = 256 << 20
)

// ErrNoHoles says that a file system cannot free bytes inside a file, so that
// logs on it have no cap.
var ErrNoHoles = errors.New("this file system cannot free the beginning of a file")

// beyond is further than a log reaches that has just begun.
const beyond = 1 << 31

// SupportedBy tells whether a log that is open for writing and shorter than 2 GiB
// can be capped: nil, an error that matches [ErrNoHoles], or why it could not be
// tried. It is one system call that changes nothing, since what it frees lies behind
// the end. The log may be growing at that moment.
func SupportedBy(f *os.File) error { return punchRange(f, beyond, grain) }

// Due is the hole that a log of this size and limit should have: h itself until
// more than limit bytes are kept, then the end moves on to the next multiple of
// a step, about a 64th of the limit, so that freeing is rare and its cost lost in
// that of writing. A limit below [MinLimit] counts as that. The number of lines
// is that of h, or unknown if it grew.
func Due(h Hole, size, limit int64) Hole {
	limit = max(limit, MinLimit)
	if size-h.Len() <= limit {
		return h
	}
	step := stepOf(limit)
	return Hole{Start: Head, End: Head + (size-limit+step-1)/step*step, Lines: -1}
}

// stepOf is by how much the hole of a log with this limit grows at a time.
func stepOf(limit int64) int64 {
	return min(max(limit/64/grain*grain, grain), maxStep)
}

// Punch brings a log under its limit from outside, whoever writes it: f is the
// log open for writing, h the hole it had (the zero value if unknown; it costs
// only time), held as in [Config]. It returns the hole the log has now, and whether
// more would be freed if it was not held. To be called whenever the log may have
// grown; most calls do nothing. A limit of 0 means none.
func Punch(f *os.File, h Hole, limit int64, held Held) (hole Hole, over bool, err error) {
	if limit <= 0 {
		return h, false, nil
	}
	info, err := f.Stat()
	if err != nil {
		return h, false, err
	}
	due, over := held.spare(h, Due(h, info.Size(), limit), limit)
	if due == h {
		return h, over, nil
	}
	return due, over, Free(f, h, due)
}

// Held returns the first byte between from and to that a reader still needs, to if
// there is none. nil: no reader needs any.
type Held func(from, to int64) int64

// spare is due, which is to follow h, without what is held, and whether anything is.
func (held Held) spare(h, due Hole, limit int64) (spared Hole, over bool) {
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

// Free gives the bytes of due that are not in h back to the file system. Who
// keeps a record of the hole writes down due first: a reader that believes
// bytes gone which are still there does no harm, the opposite reads zeros.
func Free(f *os.File, h, due Hole) error {
	from := due.Start
	if !h.Empty() {
		from = h.End
	}
	if err := punchRange(f, from, due.End-from); err != nil {
		return fmt.Errorf("free %s of the log: %w", FormatBytes(due.End-from), err)
	}
	return nil
}

// dataAfterHole finds the end of the hole that begins exactly at off in a file
// of this size; false if the file has data there or cannot tell.
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
