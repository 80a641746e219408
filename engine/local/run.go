package local

import (
	"context"
	"errors"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/holder"
)

// defaultGrace is how long a job may take to end before SIGKILL unless it was
// given another time.
const defaultGrace = 5 * time.Second

// Run is one job of this machine. It keeps nothing open between calls and is safe
// for concurrent use.
type Run struct {
	*holder.Run
	begun *engine.State // what the holder answered to the start; nil: not started by us
}

// Begun implements [engine.StartObserver].
func (r *Run) Begun() (engine.State, bool) {
	if r.begun == nil {
		return engine.State{}, false
	}
	return *r.begun, true
}

// Stop implements [engine.Run]. What a job without a holder has left is found by its
// environment.
func (r *Run) Stop(ctx context.Context, o engine.StopOptions) (engine.StopReport, error) {
	report, err := r.Run.Stop(ctx, o)
	if errors.Is(err, engine.ErrNotRunning) {
		return r.stopSurvivors(ctx, o)
	}
	return report, err
}

// OpenTerminal implements [engine.TerminalOpener].
func (r *Run) OpenTerminal(ctx context.Context, o engine.TerminalOptions) (engine.Terminal, error) {
	t, err := r.Run.OpenTerminal(ctx, o)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// OpenOutput implements [engine.Run]: the file itself.
func (r *Run) OpenOutput(_ context.Context, s engine.Stream) (engine.Output, error) {
	l, err := r.OpenLog(s.File())
	if err != nil {
		return nil, err
	}
	return l, nil
}

// sleep waits for d; it reports false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
