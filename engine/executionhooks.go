package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hobjobs/hob/internal/holder"
)

// hooks calls the program's hooks, one at a time.
type hooks struct {
	ExecutionHooks
	turn  chan struct{} // holds a value while a hook runs
	kills chan struct{} // holds a value while a stop has the kill hook called

	mu       sync.Mutex         // guards the fields below
	cancel   context.CancelFunc // of the hook that runs
	killing  bool               // the kill hook is due, runs or has succeeded
	size     Size               // of the terminal, as its clients have set it
	reported Size               // last reported to the Resize hook
	resizing bool               // a goroutine reports it
}

// call runs f when no other hook is running, until ctx is done or the execution is killed.
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
	if h.killing {
		h.mu.Unlock()
		return ErrNotRunning
	}
	h.cancel = cancel
	h.mu.Unlock()
	return f(ctx)
}

// setKilling records that the kill hook is due, and cancels a hook that is running; or that it has
// failed: the execution accepts input and can be killed again.
func (h *hooks) setKilling(on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.killing = on; on && h.cancel != nil {
		h.cancel()
	}
}

func (x *Execution) write(ctx context.Context, p []byte) error {
	switch {
	case x.hasEnded():
		return ErrNotRunning
	case x.hooks.Write == nil:
		return ErrNoInput
	}
	return x.hooks.call(ctx, func(ctx context.Context) error { return x.hooks.Write(ctx, p) })
}

func (x *Execution) resized(ctx context.Context, s Size) error {
	if x.hasEnded() {
		return ErrNotRunning
	}
	return x.hooks.call(ctx, func(ctx context.Context) error { return x.hooks.Resize(ctx, s) })
}

// resize calls the Resize hook and waits for it.
func (x *Execution) resize(ctx context.Context, s Size) error {
	if err := x.resized(ctx, s); err != nil {
		return err
	}
	x.hooks.mu.Lock()
	defer x.hooks.mu.Unlock()
	x.hooks.size, x.hooks.reported = s, s
	return nil
}

// resizeLater has the Resize hook called soon unless it has this size; a later size replaces it. It
// may be called with the holder locked.
func (x *Execution) resizeLater(s Size) {
	h := &x.hooks
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.size = s; s != h.reported && !h.resizing {
		h.resizing = x.e.spawn(x.reportSizes)
	}
}

// reportSizes calls the Resize hook until it has the terminal's size.
func (x *Execution) reportSizes() {
	h := &x.hooks
	for {
		h.mu.Lock()
		s := h.size
		if h.resizing = s != h.reported; !h.resizing {
			h.mu.Unlock()
			return
		}
		h.reported = s
		h.mu.Unlock()
		err := x.resized(x.e.runCtx, s)
		if err != nil && !errors.Is(err, ErrNotRunning) && !errors.Is(err, context.Canceled) {
			x.e.log.Warn("a hook of an execution failed", "job", x.id, "err", err)
		}
	}
}

// hookTimeout is how long a stop waits for the kill hook after the grace period.
const hookTimeout = 2 * time.Second

// stop asks the program to end the execution. It returns when the end is recorded, ctx is done, or
// the grace period is over, even if the kill hook ignores its context. The program may report the
// end itself, with its own exit code; if it has not when the hook returns, the execution is
// recorded as killed.
func (x *Execution) stop(ctx context.Context, o StopOptions) (StopReport, error) {
	switch {
	case x.hasEnded():
		return StopReport{}, ErrNotRunning
	case x.hooks.Kill == nil:
		return StopReport{}, ErrUnsupported
	}
	began := time.Now()
	ctx, cancel := stopContext(ctx, o.Grace, hookTimeout)
	defer cancel()
	s := &StopRequest{
		By:     o.By,
		Reason: o.Reason,
		At:     x.e.cfg.now(),
	}
	if s.Reason == "" {
		s.Reason = ReasonKill
	}
	gaveUp := func() (StopReport, error) { return StopReport{}, context.Cause(ctx) }
	killed := make(chan error, 1)
	select {
	case x.hooks.kills <- struct{}{}:
		go func() { // since a hook may ignore ctx
			killed <- x.kill(ctx, s)
			<-x.hooks.kills
		}()
	case <-x.done:
	case <-ctx.Done():
		return gaveUp()
	}
	select {
	case err := <-killed:
		switch {
		case ofContext(err) && ctx.Err() != nil:
			return gaveUp()
		case err != nil:
			return StopReport{}, err
		}
	case <-x.done:
	case <-ctx.Done():
		return gaveUp()
	}
	return StopReport{Took: time.Since(began)}, nil
}

// stopContext returns ctx with a deadline of spare after the grace period.
func stopContext(ctx context.Context, grace, spare time.Duration) (context.Context, context.CancelFunc) {
	if grace == 0 {
		grace = defaultGrace
	}
	limit := max(0, grace) + spare
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("the program that performs it did not end it within %v", limit))
}

// kill calls the kill hook, unless the execution has ended.
func (x *Execution) kill(ctx context.Context, s *StopRequest) error {
	if x.hasEnded() {
		return nil
	}
	x.setStopping(s)
	x.hooks.setKilling(true)
	var err error
	select {
	case x.hooks.turn <- struct{}{}:
		err = x.hooks.Kill(ctx)
		<-x.hooks.turn
	case <-ctx.Done(): // the running hook does not return
		err = ctx.Err()
	}
	if err == nil {
		return x.finish(Exit{
			Status:  Killed,
			Reason:  s.Reason,
			EndedBy: s.By,
		})
	}
	x.setStopping(nil)
	x.hooks.setKilling(false)
	return err
}

func (x *Execution) setStopping(s *StopRequest) {
	x.mu.Lock()
	x.stopping = s
	x.mu.Unlock()
	x.h.Stopping(s)
}

// holderHooks returns the hooks that other processes call through the socket.
func (x *Execution) holderHooks() holder.Hooks {
	hh := holder.Hooks{Backgrounded: func() { close(x.backgrounded) }}
	if x.hooks.Write != nil {
		hh.Input = x.write
	}
	if x.hooks.Resize != nil {
		hh.Resize = func(s Size) error { x.resizeLater(s); return nil }
		hh.AskResize = x.resize
	}
	if x.hooks.Kill != nil {
		hh.Stop = x.stop
	}
	return hh
}
