package logfile

import (
	"bytes"
	"errors"
	"os"
)

type Config struct {
	// Limit is the number of bytes to keep; 0 means no limit.
	Limit int64
	// Held is called before bytes are freed. Optional.
	Held HeldFunc
	// Record is called with a new hole before its bytes are freed, so that the recorded hole
	// is never too small. Optional.
	Record func(Hole)
}

type Stats struct {
	Size int64 // offset after the last byte
	Hole Hole
	// Lost is the number of bytes that could not be written; they have no offset.
	Lost int64
	// LimitErr is why the log exceeds its limit. It matches [ErrNoHoles] if that is
	// permanent.
	LimitErr error
}

// A Writer appends to a log and enforces its limit. It must not be used concurrently.
type Writer struct {
	f   *os.File
	cfg Config
	st  Stats

	// The number of line feeds in each step that is still in the file, so that the
	// lines of a hole are known without reading them back. The first step starts at
	// countBase.
	counts    []int64
	countBase int64
	counting  bool
	tried     int64 // end of the last hole that was tried
	over      bool  // held bytes keep the log above its limit
}

// NewWriter returns a Writer that appends to f, which must be open for writing with
// O_APPEND. The caller closes f.
func NewWriter(f *os.File, cfg Config) (*Writer, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if cfg.Limit > 0 {
		cfg.Limit = max(cfg.Limit, MinLimit)
	}
	w := &Writer{f: f, cfg: cfg, st: Stats{Size: info.Size()}}
	// The lines of an earlier writer were not counted.
	w.counting = cfg.Limit > 0 && info.Size() == 0
	w.countBase = Head
	return w, nil
}

func (w *Writer) Stats() Stats { return w.st }

// Write appends p. It always succeeds: bytes that cannot be written are counted as lost.
func (w *Writer) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, _ := w.f.Write(p)
	if w.counting {
		w.count(p[:n])
	}
	w.st.Size += int64(n)
	w.st.Lost += int64(len(p) - n)
	w.enforceLimit()
	return len(p), nil
}

// Trim frees bytes beyond the limit that are no longer held, and reports whether held
// bytes still keep the log above its limit.
func (w *Writer) Trim() (over bool) {
	w.enforceLimit()
	return w.over
}

// count adds the line feeds of p, which was appended, to the counts of its steps.
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

// enforceLimit frees the oldest bytes after the head if the log exceeds its limit. After a
// failure it tries again a step later, unless the file system does not support it.
func (w *Writer) enforceLimit() {
	if w.cfg.Limit == 0 {
		return
	}
	old := w.st.Hole
	due := NextHole(old, w.st.Size, w.cfg.Limit)
	if due.End <= max(old.End, w.tried) {
		w.over = false
		return
	}
	due, w.over = w.cfg.Held.exclude(old, due, w.cfg.Limit)
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
	err := FreeHole(w.f, old, due)
	if err == nil && w.counting {
		w.counts = append(w.counts[:0], w.counts[gone:]...)
		w.countBase = due.End
	}
	w.st.LimitErr = err
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
