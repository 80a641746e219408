package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
)

// hooks calls the program's hooks one at a time.
type hooks struct {
	Hooks
	turn chan struct{} // holds a value while a hook is at work

	mu      sync.Mutex // guards what follows
	cancel  context.CancelFunc
	killing bool
	killErr error
	killed  chan struct{} // closed when the kill hook has returned; nil before it was called
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
	if h.killing {
		h.mu.Unlock()
		return ErrNotRunning
	}
	h.cancel = cancel
	h.mu.Unlock()
	return f(ctx)
}

// kill calls the kill hook; who asks meanwhile or after a success gets the result
// of that call. A hook at work is told to give up.
func (h *hooks) kill(ctx context.Context) error {
	h.mu.Lock()
	if killed := h.killed; killed != nil {
		h.mu.Unlock()
		select {
		case <-killed:
			h.mu.Lock()
			defer h.mu.Unlock()
			return h.killErr
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	h.killing, h.killed = true, make(chan struct{})
	if h.cancel != nil {
		h.cancel()
	}
	h.mu.Unlock()
	var err error
	select {
	case h.turn <- struct{}{}:
		err = h.Kill(ctx)
		<-h.turn
	case <-ctx.Done(): // the hook at work does not give up
		err = ctx.Err()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.killErr = err
	close(h.killed)
	if err != nil { // it goes on, can be written to, and asked again
		h.killing, h.killed = false, nil
	}
	return err
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

// stop asks the program to end the execution and returns when its end is
// recorded. The program may report that itself, with its own code; when the hook
// has returned without that, it was killed.
func (x *Execution) stop(ctx context.Context, o StopOptions) (StopReport, error) {
	switch {
	case x.isOver():
		return StopReport{}, ErrNotRunning
	case x.hooks.Kill == nil:
		return StopReport{}, ErrUnsupported
	}
	began := time.Now()
	s := &jobdir.Stopping{By: o.By, Reason: string(o.Reason), At: x.e.cfg.now()}
	if s.Reason == "" {
		s.Reason = string(ReasonKill)
	}
	x.mu.Lock()
	first := x.stopping == nil
	if first {
		x.stopping = s
	}
	x.mu.Unlock()
	if first {
		x.h.Stopping(s)
		x.announce()
	}
	if err := x.hooks.kill(ctx); err != nil {
		x.mu.Lock()
		x.stopping = nil
		x.mu.Unlock()
		x.h.Stopping(nil)
		x.announce()
		return StopReport{}, err
	}
	err := x.finish(Exit{Status: Killed, Reason: Reason(s.Reason), EndedBy: s.By})
	return StopReport{Took: time.Since(began)}, err
}

// holderHooks are what other processes reach.
func (x *Execution) holderHooks() holder.Hooks {
	hh := holder.Hooks{Backgrounded: func() {
		x.awayOnce.Do(func() { close(x.away) })
		x.announce()
	}}
	if x.hooks.Write != nil {
		hh.Input = func(ctx context.Context, p []byte) error { return failureOf(x.write(ctx, p)) }
	}
	if x.hooks.Resize != nil {
		hh.Resize = func(s jobdir.Size) error { x.resizeLater(Size(s)); return nil }
		hh.AskResize = func(ctx context.Context, s jobdir.Size) error { return failureOf(x.resize(ctx, Size(s))) }
	}
	if x.hooks.Write != nil {
		hh.Reply = x.writeLater
	}
	if x.hooks.Kill != nil {
		hh.Kill = func(ctx context.Context, k holder.Kill) (holder.KillReport, error) {
			r, err := x.stop(ctx, StopOptions{By: k.By, Reason: Reason(k.Reason)})
			return holder.KillReport{TookMS: holder.TookMS(r.Took)}, failureOf(err)
		}
	}
	return hh
}

// failureOf is an error as the protocol says it, and errorOf the way back.
func failureOf(err error) error {
	for _, c := range codes() {
		if errors.Is(err, c.err) {
			return &holder.Failure{Code: c.code, Message: err.Error()}
		}
	}
	return err
}

func errorOf(err error) error {
	if errors.Is(err, holder.ErrNoHolder) {
		return ErrNotRunning
	}
	f, ok := errors.AsType[*holder.Failure](err)
	if !ok {
		return err
	}
	for _, c := range codes() {
		switch {
		case f.Code != c.code:
		case f.Message == c.err.Error():
			return c.err
		default:
			return fmt.Errorf("%w: %s", c.err, f.Message)
		}
	}
	return err
}

type code struct {
	err  error
	code holder.Code
}

func codes() []code {
	return []code{
		{ErrNoInput, holder.CodeNoInput},
		{ErrNotRunning, holder.CodeEnded},
		{ErrUnsupported, holder.CodeUnsupported},
		{ErrInvalid, holder.CodeInvalid},
		{ErrNotControl, holder.CodeNotControl},
		{ErrUnsupported, holder.CodeUnknown},
	}
}
