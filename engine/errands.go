package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// maxReplies bounds the answers of a terminal that wait for the Write hook.
const maxReplies = 64 << 10

// errands are calls of hooks that nobody can wait for, since the holder is locked
// or the program itself is the caller. They are done in a goroutine that lives as
// long as there are any.
type errands struct {
	mu      sync.Mutex // guards what follows
	running bool
	size    Size // to be told; zero: none
	told    Size // what the hook was told last
	input   []byte
}

// resize tells the Resize hook a size and waits for it.
func (x *Execution) resize(ctx context.Context, s Size) error {
	if err := x.resized(ctx, s); err != nil {
		return err
	}
	x.later.mu.Lock()
	defer x.later.mu.Unlock()
	x.later.told = s
	return nil
}

// resizeLater tells the Resize hook a size, unless another one follows soon or it
// knows. It may be called with the holder locked.
func (x *Execution) resizeLater(s Size) {
	x.later.mu.Lock()
	defer x.later.mu.Unlock()
	if x.later.size = s; s == x.later.told {
		x.later.size = Size{}
	}
	x.runLocked()
}

// writeLater hands the terminal's answers to the Write hook. What is too much is
// dropped, as a terminal's input would be.
func (x *Execution) writeLater(p []byte) {
	x.later.mu.Lock()
	defer x.later.mu.Unlock()
	if len(x.later.input)+len(p) <= maxReplies {
		x.later.input = append(x.later.input, p...)
	}
	x.runLocked()
}

// runLocked begins to do what there is to do; x.later.mu is held.
func (x *Execution) runLocked() {
	l := &x.later
	if !l.running && (l.size != Size{} || len(l.input) > 0) {
		l.running = x.e.goes(x.runErrands)
	}
}

// runErrands ends when there is nothing left to do or the engine is closed.
func (x *Execution) runErrands() {
	for {
		size, input := x.nextErrand()
		var err error
		switch {
		case size != Size{}:
			err = x.resized(x.e.life, size)
		case input != nil:
			err = x.write(x.e.life, input)
		default:
			return
		}
		if err != nil && !errors.Is(err, ErrNotRunning) && !errors.Is(err, context.Canceled) {
			x.e.log.Warn("a hook of an execution failed", "job", x.id, "err", err)
		}
	}
}

func (x *Execution) nextErrand() (s Size, input []byte) {
	l := &x.later
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.size != Size{}:
		s, l.size = l.size, Size{}
		l.told = s
	case len(l.input) > 0:
		input, l.input = slices.Clone(l.input), l.input[:0]
	default:
		l.running = false
	}
	return s, input
}
