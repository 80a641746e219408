package ui

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/logview"
)

// jobEngine is what a pane asks of an engine: an [engine.Engine], or one of a
// test.
type jobEngine interface {
	Subscribe(f engine.Filter) subscription
	OpenLog(ctx context.Context, id engine.ID, s engine.Stream) (openLog, error)
	Screen(ctx context.Context, id engine.ID) (engine.Screen, error)
	Entry(ctx context.Context, id engine.ID) (engine.Entry, error)
	OpenTerminal(ctx context.Context, id engine.ID, o engine.TerminalOptions) (engine.Terminal, error)

	Start(ctx context.Context, s engine.Spec, opts ...engine.StartOption) (engine.Job, error)
	Restart(ctx context.Context, id engine.ID, opts ...engine.StartOption) (engine.Job, error)
	Background(id engine.ID) error
	Write(ctx context.Context, id engine.ID, p []byte) error
	Signal(ctx context.Context, id engine.ID, name string) error
	Stop(ctx context.Context, id engine.ID, o engine.StopOptions) (engine.StopReport, error)
	Clear(ctx context.Context, ids ...engine.ID) ([]engine.Job, error)
	Undo(ctx context.Context, ids ...engine.ID) ([]engine.Job, error)
	Remove(ctx context.Context, ids ...engine.ID) ([]engine.Job, error)
}

// subscription delivers facts: first a snapshot, then each fact once.
type subscription interface {
	Next(ctx context.Context) ([]engine.Event, error)
	// Attend names the jobs that are looked at closely.
	Attend(ids ...engine.ID)
	Close() error
}

// openLog is one stream of a job's output, read by windows.
type openLog interface {
	logview.Source
	Close() error
}

// realEngine is an engine whose kinds of subscription and log no longer matter.
type realEngine struct{ *engine.Engine }

func (e realEngine) Subscribe(f engine.Filter) subscription { return e.Engine.Subscribe(f) }

func (e realEngine) OpenLog(ctx context.Context, id engine.ID, s engine.Stream) (openLog, error) {
	log, err := e.Engine.OpenLog(ctx, id, s)
	if err != nil {
		return nil, err
	}
	return log, nil
}

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
