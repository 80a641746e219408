package logfile

import (
	"bytes"
	"errors"
	"os"
	"sync"
)

// Config says how a [Writer] treats its log.
type Config struct {
	// Limit is how many bytes are kept; 0 means all of them.
	Limit int64
	// Hole is what was dropped from the log before this writer.
	Hole Hole
	// Held is asked before bytes are freed, in the goroutine that writes. Optional.
	Held Held
	// Record is told the new hole before its bytes are freed, in the
	// goroutine that writes, so that whoever keeps the record never says less
	// than is gone. Optional.
	Record func(Hole)
}

// Stats is what a [Writer] knows of its log.
type Stats struct {
	Size int64 // offset behind the last byte
	Hole Hole
	// Lost counts bytes that could not be written; they have no offset. LostAt
	// is where the last of them would have gone. Err is why the last write
	// failed, nil when writing works again.
	Lost   int64
	LostAt int64
	Err    error
	// CapErr is why more is kept than the limit; it matches [ErrNoHoles] if it
	// will stay so.
	CapErr error
}

// Kept is how many bytes the file holds.
func (s Stats) Kept() int64 { return s.Size - s.Hole.Len() }

// A Writer appends to a log and keeps it under its cap. One goroutine writes;
// Stats may be called by any.
type Writer struct {
	f   *os.File
	cfg Config

	mu sync.Mutex // guards stats against readers of Stats
	st Stats

	// Line feeds of each step that is still in the file, so that a hole knows
	// its lines without reading them back. The first belongs to the step at
	// countBase.
	counts    []int64
	countBase int64
	counting  bool
	tried     int64 // end of the last hole that was tried
	over      bool  // more is kept than the limit, because it is held
}

// NewWriter appends to f, which must be open for writing with O_APPEND. The
// writer does not close it.
func NewWriter(f *os.File, cfg Config) (*Writer, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if cfg.Limit > 0 {
		cfg.Limit = max(cfg.Limit, MinLimit)
	}
	w := &Writer{f: f, cfg: cfg, st: Stats{Size: info.Size(), Hole: cfg.Hole}}
	// What was written by an earlier writer was not counted here.
	w.counting = cfg.Limit > 0 && info.Size() == 0
	w.countBase = Head
	return w, nil
}

// Stats is a snapshot of what the writer knows.
func (w *Writer) Stats() Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.st
}

// Write appends p and always reports success: what the disk refuses is counted
// as lost and the next write tries again.
func (w *Writer) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := w.f.Write(p)
	w.appended(p[:n], int64(len(p)-n), err)
	w.cap()
	return len(p), nil
}

// Trim frees what was held when it was written and is not any more, and reports
// whether more is held. It is for the goroutine that writes.
func (w *Writer) Trim() (over bool) {
	w.cap()
	return w.over
}

// appended takes notice of what a write did.
func (w *Writer) appended(p []byte, lost int64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.counting {
		w.count(p)
	}
	w.st.Size += int64(len(p))
	w.st.Err = err
	if lost > 0 {
		w.st.Lost += lost
		w.st.LostAt = w.st.Size
	}
}

// count adds the line feeds of p, which begins at the log's end, to its steps.
func (w *Writer) count(p []byte) {
	off := w.st.Size
	if off < Head {
		skip := min(int64(len(p)), Head-off)
		p, off = p[skip:], off+skip
	}
	step := stepOf(w.cfg.Limit)
	for len(p) > 0 {
		i := (off - w.countBase) / step
		for int64(len(w.counts)) <= i {
			w.counts = append(w.counts, 0)
		}
		n := min(int64(len(p)), w.countBase+(i+1)*step-off)
		w.counts[i] += int64(bytes.Count(p[:n], []byte{'\n'}))
		p, off = p[n:], off+n
	}
}

// cap frees the oldest bytes behind the head when there are too many. What goes
// wrong is tried again a step later, unless the file system cannot do it.
func (w *Writer) cap() {
	if w.cfg.Limit == 0 {
		return
	}
	old := w.st.Hole // only this goroutine changes it
	due := Due(old, w.st.Size, w.cfg.Limit)
	if due.End <= max(old.End, w.tried) {
		w.over = false
		return
	}
	due, w.over = w.cfg.Held.spare(old, due, w.cfg.Limit)
	if due.End <= max(old.End, w.tried) {
		return
	}
	w.tried = due.End
	gone := int((due.End - w.countBase) / stepOf(w.cfg.Limit))
	if w.counting {
		due.Lines = old.Lines
		for _, n := range w.counts[:gone] {
			due.Lines += n
		}
	}
	if w.cfg.Record != nil {
		w.cfg.Record(due)
	}
	err := Free(w.f, old, due)
	if err == nil && w.counting {
		w.counts = append(w.counts[:0], w.counts[gone:]...)
		w.countBase = due.End
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.st.CapErr = err
	switch {
	case err == nil:
		w.st.Hole = due
	case errors.Is(err, ErrNoHoles):
		w.cfg.Limit, w.counting, w.counts = 0, false, nil
		if w.cfg.Record != nil {
			w.cfg.Record(old)
		}
	}
}
