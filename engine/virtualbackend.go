package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/hobjobs/hob/internal/holder"
)

// virtualBackend reaches virtual and attached executions: those of this program
// directly, those of others through their files and sockets. Their rule of life
// is the lock: whoever performs the execution holds it.
type virtualBackend struct{ e *Engine }

var _ Backend = (*virtualBackend)(nil)

func (b *virtualBackend) Name() string               { return virtualName }
func (b *virtualBackend) Capabilities() Capabilities { return Capabilities{} }
func (b *virtualBackend) Serves(string) bool         { return false }
func (b *virtualBackend) Close() error               { return nil }

func (b *virtualBackend) Start(context.Context, Launch) (Run, error) { return nil, ErrUnsupported }

func (b *virtualBackend) Open(_ context.Context, r Record) (Run, error) {
	run := newVirtualRun(r.ID, r.Dir, r.Job)
	if x := b.e.execution(r.ID); x != nil {
		return &ownRun{virtualRun: run, x: x}, nil
	}
	return run, nil
}

func (b *virtualBackend) Observe(ctx context.Context, rs []Record) (map[ID]State, error) {
	seen := make(map[ID]State, len(rs))
	var bad []error
	for _, r := range rs {
		if err := ctx.Err(); err != nil {
			return seen, err
		}
		if x := b.e.execution(r.ID); x != nil {
			seen[r.ID] = x.Job().State
			continue
		}
		s, err := holder.Look(r.Dir)
		switch {
		case err == nil:
			seen[r.ID] = s
		case !errors.Is(err, fs.ErrNotExist): // which is no reason not to look at the others
			bad = append(bad, fmt.Errorf("%s: %w", r.ID, err))
		}
	}
	return seen, errors.Join(bad...)
}

// virtualRun is one execution of another program, or one that has ended.
type virtualRun struct{ *holder.Run }

func newVirtualRun(id ID, dir string, j Job) *virtualRun {
	return &virtualRun{holder.NewRun(dir, id, j.Request, false)}
}

// Stop ends the execution. The program that performs it answers within the grace time,
// unless it is stuck itself.
func (r *virtualRun) Stop(ctx context.Context, o StopOptions) (StopReport, error) {
	ctx, cancel := stopContext(ctx, o.Grace, 2*hookTime)
	defer cancel()
	report, err := r.Run.Stop(ctx, o)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = context.Cause(ctx)
	}
	return report, err
}

func (r *virtualRun) OpenOutput(_ context.Context, s Stream) (Output, error) {
	l, err := r.OpenLog(s.File())
	if err != nil {
		return nil, err
	}
	return l, nil
}

func (r *virtualRun) OpenTerminal(ctx context.Context, o TerminalOptions) (Terminal, error) {
	t, err := r.Run.OpenTerminal(ctx, o)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// ownRun is one execution of this program, which is asked for nothing through its
// socket but its terminal.
type ownRun struct {
	*virtualRun
	x *Execution
}

var (
	_ Run            = (*ownRun)(nil)
	_ Backgrounder   = (*ownRun)(nil)
	_ Resizer        = (*ownRun)(nil)
	_ KeySender      = (*ownRun)(nil)
	_ ScreenReader   = (*ownRun)(nil)
	_ TerminalOpener = (*ownRun)(nil)
)

func (r *ownRun) Wait(ctx context.Context) (Exit, error) {
	var exit Exit
	err := r.Watch(ctx, func(s State, _ Note) { exit = s.Exit })
	return exit, err
}

func (r *ownRun) Stop(ctx context.Context, o StopOptions) (StopReport, error) {
	return r.x.stop(ctx, o)
}

func (r *ownRun) Write(ctx context.Context, p []byte) error { return r.x.write(ctx, p) }
func (r *ownRun) CloseInput(context.Context) error          { return ErrNoInput }
func (r *ownRun) Background(context.Context) error          { return r.x.background() }

// SendKeys implements [KeySender]. Without a terminal keys are encoded as one in
// its first state does.
func (r *ownRun) SendKeys(ctx context.Context, keys []string) error {
	p, err := r.x.h.EncodeKeys(keys)
	if err != nil {
		return err
	}
	return r.x.write(ctx, p)
}

func (r *ownRun) Paste(ctx context.Context, p []byte) error {
	return r.x.write(ctx, r.x.h.EncodePaste(p))
}

func (r *ownRun) Resize(ctx context.Context, s Size) error { return r.x.h.Resize(ctx, s) }

func (r *ownRun) Screen(ctx context.Context) (Screen, error) {
	if r.x.isOver() {
		return holder.LastScreen(r.Dir)
	}
	return r.x.h.Screen()
}

func (r *ownRun) Watch(ctx context.Context, notify func(State, Note)) error {
	for {
		changed := r.x.watchChange()
		s := r.x.Job().State
		if ended := s.Status.Finished(); !ended || r.x.isOver() { // else the end is being recorded
			notify(s, Note{})
			if ended {
				return nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case <-r.x.done:
		case <-time.After(paceEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
