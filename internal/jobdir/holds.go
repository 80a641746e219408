package jobdir

import (
	"os"
	"sync"

	"github.com/hobjobs/hob/internal/plainfile"
)

// Holds are what readers of a job's logs have not taken yet, of which its holder
// frees nothing. A reader locks those bytes, so that a hold ends with the process
// that has it, however that ends. The locks lie on meta.json, which is there before
// the logs are, far behind its end. Safe for concurrent use; nobody is held back by
// locks of the same Holds.
type Holds struct {
	dir  string
	once sync.Once
	f    *os.File // nil: it could not be opened
	err  error

	mu    sync.Mutex // guards taken
	taken map[string]int64
}

// HoldsOf returns the holds on the logs of the job in dir, which must not move before
// they are used for the first time.
func HoldsOf(dir string) *Holds { return &Holds{dir: dir} }

func (h *Holds) file() (*os.File, error) {
	h.once.Do(func() { h.f, h.err = plainfile.Open(inDir(h.dir, MetaFile)) })
	return h.f, h.err
}

// Hold keeps the bytes of a log from off on, and lets go of those before. A smaller
// offset than the last one changes nothing. The error matches errors.ErrUnsupported
// where the system has no such locks.
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
		err = lockRange(f, placeOf(name)+off, placeOf(name)+span)
	case off > from:
		err = unlockRange(f, placeOf(name)+from, placeOf(name)+off)
	}
	if err == nil && (!held || off > from) {
		if h.taken == nil {
			h.taken = map[string]int64{}
		}
		h.taken[name] = off
	}
	return err
}

// First returns the first byte of a log between from and to that somebody else holds,
// to if nobody does.
func (h *Holds) First(name string, from, to int64) int64 {
	f, err := h.file()
	if err != nil {
		return to
	}
	return firstLocked(f, placeOf(name)+from, placeOf(name)+to) - placeOf(name)
}

// Close lets go of everything.
func (h *Holds) Close() error {
	h.once.Do(func() { h.err = os.ErrClosed })
	if h.f == nil {
		return nil
	}
	return h.f.Close()
}

// span is how far a log can reach.
const span = 1 << 60

// placeOf returns where the locks of a log begin.
func placeOf(name string) int64 {
	if name == StderrFile {
		return 2 * span
	}
	return span
}
