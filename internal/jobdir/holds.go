package jobdir

import (
	"os"
	"sync"

	"github.com/hobjobs/hob/internal/plainfile"
)

// Holds keep the holder of a job from freeing log output that a reader has not read yet.
// A reader holds bytes with a lock on a byte range, so that its holds end with its
// process, even after a crash. The locks are on ranges of meta.json far beyond its end,
// because meta.json exists before the logs do. A Holds does not see its own locks. It is
// safe for concurrent use.
type Holds struct {
	dir  string
	once sync.Once
	f    *os.File // nil if err is set
	err  error

	mu    sync.Mutex // guards taken
	taken map[string]int64
}

// NewHolds returns the holds on the logs of the job in dir. The directory must not be
// moved before their first use.
func NewHolds(dir string) *Holds { return &Holds{dir: dir} }

func (h *Holds) file() (*os.File, error) {
	h.once.Do(func() { h.f, h.err = plainfile.Open(inDir(h.dir, MetaFile)) })
	return h.f, h.err
}

// Hold holds the bytes of a log from off on and releases those before off. An offset
// smaller than the previous one has no effect. The error matches errors.ErrUnsupported on
// systems without such locks.
func (h *Holds) Hold(name string, off int64) error {
	f, err := h.file()
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	from, held := h.taken[name]
	switch {
	case !held:
		err = lockRange(f, rangeStart(name)+off, rangeStart(name)+span)
	case off > from:
		err = unlockRange(f, rangeStart(name)+from, rangeStart(name)+off)
	}
	if err == nil && (!held || off > from) {
		if h.taken == nil {
			h.taken = map[string]int64{}
		}
		h.taken[name] = off
	}
	return err
}

// FirstHeld returns the offset of the first byte of a log between from and to that another
// Holds holds, or to if it holds none.
func (h *Holds) FirstHeld(name string, from, to int64) int64 {
	f, err := h.file()
	if err != nil {
		return to
	}
	return firstLockedByte(f, rangeStart(name)+from, rangeStart(name)+to) - rangeStart(name)
}

// Close releases everything.
func (h *Holds) Close() error {
	h.once.Do(func() { h.err = os.ErrClosed })
	if h.f == nil {
		return nil
	}
	return h.f.Close()
}

// span is the size of the range that each log has for its locks.
const span = 1 << 60

// rangeStart returns the offset in meta.json of the locks of a log.
func rangeStart(name string) int64 {
	if name == StderrFile {
		return 2 * span
	}
	return span
}
