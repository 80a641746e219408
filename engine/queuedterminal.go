package engine

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"
)

// queuedTerminal is a session with the terminal of a job that had not begun when it was opened. It
// shows why the job waits, and becomes that of its terminal when the job begins.
type queuedTerminal struct {
	e      *Engine
	run    Run
	id     ID
	states chan Job // until the job has begun or ended
	stop   context.CancelFunc
	watch  sync.WaitGroup

	mu   sync.Mutex // guards the fields below
	o    TerminalOptions
	live Terminal // nil while the job is queued
}

// opensLater reports whether there is no terminal yet. A job on a host is starting for a while, and its terminal
// cannot be resized before the job runs.
func opensLater(j *Job) bool {
	switch {
	case j.Kind != KindPTY, !j.StartedAt.IsZero():
		return false
	case j.Status == Queued:
		return true
	}
	return j.Status == Starting && j.Link == LinkOK
}

func (e *Engine) openLater(ctx context.Context, run Run, j Job, o TerminalOptions) Terminal {
	t := &queuedTerminal{e: e, run: run, id: j.ID, states: make(chan Job, 1), o: o}
	ctx, t.stop = context.WithCancel(context.WithoutCancel(ctx))
	t.watch.Go(func() {
		defer close(t.states)
		ctx, begun := context.WithCancel(ctx)
		defer begun()
		_ = run.Watch(ctx, func(s State, _ Note) { // without it, the terminal is tried
			if s.Status != Queued && s.Status != Starting {
				begun()
				return
			}
			select {
			case <-t.states: // an older one
			default:
			}
			j.State = s
			t.states <- j
		})
	})
	return t
}

// begun returns the session with the terminal, nil while there is none.
func (t *queuedTerminal) begun() Terminal {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.live
}

func (t *queuedTerminal) Next(ctx context.Context) (TerminalChunk, error) {
	if live := t.begun(); live != nil {
		return live.Next(ctx)
	}
	select {
	case <-ctx.Done():
		return TerminalChunk{}, ctx.Err()
	case j, queued := <-t.states:
		if queued {
			return t.reason(j), nil
		}
	}
	live, err := t.begin(ctx)
	if err == nil {
		return live.Next(ctx)
	}
	if j, readErr := t.e.read(ctx, t.id); readErr == nil && j.Status.Finished() && errors.Is(err, ErrNotRunning) {
		return TerminalChunk{Exit: &j.Exit}, nil
	}
	return TerminalChunk{}, err
}

// begin opens the terminal with the options as they are now. A change of them waits for that.
func (t *queuedTerminal) begin(ctx context.Context) (Terminal, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	live, err := t.run.OpenTerminal(ctx, t.o)
	if err == nil {
		t.live = live
	}
	return live, err
}

// reason returns a screen that shows why the job waits.
func (t *queuedTerminal) reason(j Job) TerminalChunk {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := TerminalChunk{
		Reset:   true,
		Size:    t.o.Size,
		Control: t.o.Control,
	}
	if !t.o.Control || c.Size == (Size{}) {
		c.Size = j.InitialSize
	}
	text := "Starting"
	if reason := j.WaitReason(time.Now()); reason != "" {
		text = "Queued: " + reason
	}
	c.Data = []byte("\x1b[H\x1b[2J" + text + "\r\n")
	return c
}

// interrupt is what Ctrl+C sends.
const interrupt = 0x03

// Write implements [Terminal]. There is no program yet: Ctrl+C ends the job, and other input is
// dropped.
func (t *queuedTerminal) Write(ctx context.Context, p []byte) error {
	if live := t.begun(); live != nil {
		return live.Write(ctx, p)
	}
	if bytes.IndexByte(p, interrupt) < 0 {
		return nil
	}
	_, err := t.e.Handle(t.id).Stop(ctx, StopOptions{By: t.o.Client})
	return err
}

func (t *queuedTerminal) Resize(ctx context.Context, s Size) error {
	return t.remember(func(o *TerminalOptions) { o.Size = s }, func(live Terminal) error { return live.Resize(ctx, s) })
}

func (t *queuedTerminal) TakeControl(ctx context.Context) error {
	return t.remember(func(o *TerminalOptions) { o.Control = true }, func(live Terminal) error { return live.TakeControl(ctx) })
}

func (t *queuedTerminal) SetFacts(ctx context.Context, f TerminalFacts) error {
	return t.remember(func(o *TerminalOptions) { o.Facts = f }, func(live Terminal) error { return live.SetFacts(ctx, f) })
}

// remember calls later with the session of the terminal. Before the session begins, it calls first
// with its options instead.
func (t *queuedTerminal) remember(first func(*TerminalOptions), later func(Terminal) error) error {
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

func (t *queuedTerminal) Close() error {
	t.stop()
	t.watch.Wait()
	if live := t.begun(); live != nil {
		return live.Close()
	}
	return nil
}
