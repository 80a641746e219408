package ui

import (
	"errors"
	"io"
	"sync"
)

// holdings are what a pane has open: subscriptions, logs, terminal sessions.
// Commands open them in their own goroutines, so a pane that is closed meanwhile
// would lose them without this. Safe for concurrent use.
type holdings struct {
	mu     sync.Mutex
	closed bool
	open   map[io.Closer]struct{}
}

// keep holds c until [holdings.release] or close; after close it closes c at
// once and reports false.
func (h *holdings) keep(c io.Closer) bool {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		_ = c.Close() // nobody is left to be told
		return false
	}
	if h.open == nil {
		h.open = map[io.Closer]struct{}{}
	}
	h.open[c] = struct{}{}
	h.mu.Unlock()
	return true
}

// release closes c.
func (h *holdings) release(c io.Closer) error {
	h.mu.Lock()
	_, held := h.open[c]
	delete(h.open, c)
	h.mu.Unlock()
	if !held {
		return nil
	}
	return c.Close()
}

// close closes all.
func (h *holdings) close() error {
	h.mu.Lock()
	open := h.open
	h.open, h.closed = nil, true
	h.mu.Unlock()
	var errs []error
	for c := range open {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
