package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hobjobs/hob/internal/holder"
)

// hooks calls the program's hooks one at a time.
type hooks struct {
	Hooks
	turn chan struct{} // holds a value while a hook is at work

	mu      sync.Mutex // guards what follows
	cancel  context.CancelFunc
	killing *killing // nil: none is at work, and none has succeeded
}

// call runs f in its turn, until ctx is done or the execution is killed.
func (h *hooks) call(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	h.mu.Lock()
	if h.killing != nil {
		h.mu.Unlock()
		return ErrNotRunning
	}
	h.cancel = cancel
	h.mu.Unlock()
	return f(ctx)
}

// killing is one call of the kill hook.
type killing struct {
	done chan struct{} // closed when the hook has returned and that is recorded
	err  error         // of the hook; read after done
}

// beginKill is the call of the kill hook that is at work or has succeeded, else a new
// one, which the caller is to carry out. A hook at work is canceled for that.
func (h *hooks) beginKill() (k *killing, begun bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.killing != nil {
		return h.killing, false
	}
	h.killing = &killing{done: make(chan struct{})}
	if h.cancel != nil {
		h.cancel()
	}
	return h.killing, true
}

// endKill is the end of a call. After an error the execution goes on, can be written
// to, and asked again.
func (h *hooks) endKill(k *killing, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if k.err = err; err != nil {
		h.killing = nil
	}
	close(k.done)
}

func (x *Execution) write(ctx context.Context, p []byte) error {
	switch {
	case x.isOver():
		return ErrNotRunning
	case x.hooks.Write == nil:
		return ErrNoInput
	}
	return x.hooks.call(ctx, func(ctx context.Context) error { return x.hooks.Write(ctx, p) })
}

func (x *Execution) resized(ctx context.Context, s Size) error {
	if x.isOver() {
		return ErrNotRunning
	}
	return x.hooks.call(ctx, func(ctx context.Context) error { return x.hooks.Resize(ctx, s) })
}

// hookTime is how long after the grace time a stop waits for the kill hook.
const hookTime = 2 * time.Second

// stop asks the program to end the execution and returns when its end is recorded, ctx
// is done, or the grace time is over, whether or not the kill hook heeds that. The
// program may report the end itself, with its own code; when the hook has returned
// without that, it was killed.
func (x *Execution) stop(ctx context.Context, o StopOptions) (StopReport, error) {
	switch {
	case x.isOver():
		return StopReport{}, ErrNotRunning
	case x.hooks.Kill == nil:
		return StopReport{}, ErrUnsupported
	}
	began := time.Now()
	ctx, cancel := stopContext(ctx, o.Grace, hookTime)
	defer cancel()
	s := &StopRequest{By: o.By, Reason: o.Reason, At: x.e.cfg.now()}
	if s.Reason == "" {
		s.Reason = ReasonKill
	}
	for {
		k, begun := x.hooks.beginKill()
		if begun {
			go x.kill(ctx, k, s) // beside the caller, since a hook may not heed ctx
		}
		select {
		case <-k.done:
		case <-x.done:
			return StopReport{Took: time.Since(began)}, nil
		case <-ctx.Done():
			return StopReport{}, context.Cause(ctx)
		}
		canceled := errors.Is(k.err, context.Canceled) || errors.Is(k.err, context.DeadlineExceeded)
		switch {
		case canceled && ctx.Err() != nil:
			return StopReport{}, context.Cause(ctx)
		case canceled && !begun:
			continue // the context of another caller ended the call
		case k.err != nil:
			return StopReport{}, k.err
		}
		return StopReport{Took: time.Since(began)}, nil
	}
}

// stopContext is ctx until spare after the grace time.
func stopContext(ctx context.Context, grace, spare time.Duration) (context.Context, context.CancelFunc) {
	if grace == 0 {
		grace = defaultGrace
	}
	limit := max(0, grace) + spare
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("the program that performs it has not ended it within %v", limit))
}

// kill carries out one call of the kill hook.
func (x *Execution) kill(ctx context.Context, k *killing, s *StopRequest) {
	x.setStopping(s)
	var err error
	select {
	case x.hooks.turn <- struct{}{}:
		err = x.hooks.Kill(ctx)
		<-x.hooks.turn
	case <-ctx.Done(): // the hook at work does not give up
		err = ctx.Err()
	}
	if err == nil {
		err = x.finish(Exit{Status: Killed, Reason: s.Reason, EndedBy: s.By})
	} else {
		x.setStopping(nil)
	}
	x.hooks.endKill(k, err)
}

func (x *Execution) setStopping(s *StopRequest) {
	x.mu.Lock()
	x.stopping = s
	x.mu.Unlock()
	x.h.Stopping(s)
	x.announce()
}

// holderHooks are what other processes reach.
func (x *Execution) holderHooks() holder.Hooks {
	hh := holder.Hooks{Backgrounded: func() {
		close(x.away)
		x.announce()
	}}
	if x.hooks.Write != nil {
		hh.Input = x.write
	}
	if x.hooks.Resize != nil {
		hh.Resize = func(s Size) error { x.resizeLater(s); return nil }
		hh.AskResize = x.resize
	}
	if x.hooks.Write != nil {
		hh.Reply = x.writeLater
	}
	if x.hooks.Kill != nil {
		hh.Stop = x.stop
	}
	return hh
}
