package local

import (
	"bytes"
	"context"
	"errors"
	"sync"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/holder"
)

// OpenTerminal implements [engine.TerminalOpener]. The session of a queued job shows why it waits, and
// becomes that of its terminal when it starts.
func (r *Run) OpenTerminal(ctx context.Context, o engine.TerminalOptions) (engine.Terminal, error) {
	if s, err := holder.Look(r.Dir); err != nil || s.Status != engine.Queued || !s.StartedAt.IsZero() {
		return r.Run.OpenTerminal(ctx, o)
	}
	t := &queuedTerminal{r: r, o: o, states: make(chan engine.State, 1)}
	ctx, t.stop = context.WithCancel(context.WithoutCancel(ctx))
	t.watch.Go(func() {
		defer close(t.states)
		_ = r.watchQueued(ctx, func(s engine.State, _ engine.Note) { // without it, the terminal is tried
			select {
			case <-t.states: // an older one
			default:
			}
			t.states <- s
		})
	})
	return t, nil
}

// queuedTerminal is a session with the terminal of a job that was queued when it was opened.
type queuedTerminal struct {
	r      *Run
	states chan engine.State // until the job is not queued any more
	stop   context.CancelFunc
	watch  sync.WaitGroup

	mu   sync.Mutex // guards the fields below
	o    engine.TerminalOptions
	live engine.Terminal // nil while the job is queued
}

// begun returns the session with the terminal, nil while there is none.
func (t *queuedTerminal) begun() engine.Terminal {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.live
}

// Next implements [engine.Terminal].
func (t *queuedTerminal) Next(ctx context.Context) (engine.TerminalChunk, error) {
	if live := t.begun(); live != nil {
		return live.Next(ctx)
	}
	select {
	case <-ctx.Done():
		return engine.TerminalChunk{}, ctx.Err()
	case s, queued := <-t.states:
		if queued {
			return t.reason(s), nil
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	live, err := t.r.Run.OpenTerminal(ctx, t.o)
	if err != nil {
		if s, lookErr := holder.Look(t.r.Dir); lookErr == nil && s.Status.Finished() && errors.Is(err, engine.ErrNotRunning) {
			return engine.TerminalChunk{Exit: &s.Exit}, nil
		}
		return engine.TerminalChunk{}, err
	}
	t.live = live
	return live.Next(ctx)
}

// reason is a screen that says why the job waits.
func (t *queuedTerminal) reason(s engine.State) engine.TerminalChunk {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := engine.TerminalChunk{Reset: true, Size: t.o.Size, Control: t.o.Control}
	if !t.o.Control || c.Size == (engine.Size{}) {
		c.Size = t.r.Request.InitialSize
	}
	c.Data = []byte("\x1b[H\x1b[2JQueued: " + s.Pending.Reason + "\r\n")
	return c
}

// interrupt is what Ctrl+C sends.
const interrupt = 0x03

// Write implements [engine.Terminal]. There is no program yet: Ctrl+C ends the job, and other input is
// dropped.
func (t *queuedTerminal) Write(ctx context.Context, p []byte) error {
	if live := t.begun(); live != nil {
		return live.Write(ctx, p)
	}
	if bytes.IndexByte(p, interrupt) < 0 {
		return nil
	}
	_, _, err := t.r.stopQueued(ctx, engine.StopOptions{By: t.o.Client}) // not if it has just started
	return err
}

// Resize implements [engine.Terminal].
func (t *queuedTerminal) Resize(ctx context.Context, s engine.Size) error {
	return t.remember(func(o *engine.TerminalOptions) { o.Size = s }, func(live engine.Terminal) error { return live.Resize(ctx, s) })
}

// TakeControl implements [engine.Terminal].
func (t *queuedTerminal) TakeControl(ctx context.Context) error {
	return t.remember(func(o *engine.TerminalOptions) { o.Control = true }, func(live engine.Terminal) error { return live.TakeControl(ctx) })
}

// SetFacts implements [engine.Terminal].
func (t *queuedTerminal) SetFacts(ctx context.Context, f engine.TerminalFacts) error {
	return t.remember(func(o *engine.TerminalOptions) { o.Facts = f }, func(live engine.Terminal) error { return live.SetFacts(ctx, f) })
}

// remember calls later with the session of the terminal. Before the session begins, it calls first
// with its options instead.
func (t *queuedTerminal) remember(first func(*engine.TerminalOptions), later func(engine.Terminal) error) error {
	t.mu.Lock()
	live := t.live
	if live == nil {
		first(&t.o)
	}
	t.mu.Unlock()
	if live == nil {
		return nil
	}
	return later(live)
}

// Close implements [engine.Terminal].
func (t *queuedTerminal) Close() error {
	t.stop()
	t.watch.Wait()
	if live := t.begun(); live != nil {
		return live.Close()
	}
	return nil
}
