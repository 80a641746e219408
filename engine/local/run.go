package local

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
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

// Observe implements [engine.Backend].
func (b *Backend) Observe(ctx context.Context, rs []engine.Record) (map[engine.ID]engine.State, error) {
	b.kids.reap()
	states := make([]engine.State, len(rs))
	errs := make([]error, len(rs))
	const few = 32 // are not worth a goroutine
	var wg sync.WaitGroup
	n := max(1, min(runtime.GOMAXPROCS(0), len(rs)/few))
	for part := range n {
		wg.Go(func() {
			for i := part; i < len(rs) && ctx.Err() == nil; i += n {
				states[i], errs[i] = holder.Look(rs[i].Dir)
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	seen := make(map[engine.ID]engine.State, len(rs))
	for i, s := range states {
		if errs[i] == nil { // else it was removed
			seen[rs[i].ID] = s
		}
	}
	return seen, nil
}

// stopSurvivors ends what a job without a holder left running. Nothing is
// signalled that is not proven to be of this boot and this job.
func (r *Run) stopSurvivors(ctx context.Context, o engine.StopOptions) (engine.StopReport, error) {
	st, err := jobdir.ReadState(r.Dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) { // it may name some
		return engine.StopReport{}, err
	}
	if err != nil || !holder.SeesProcesses(&st) {
		return engine.StopReport{}, engine.ErrNotRunning
	}
	ref := holder.Orphans(r.ID(), &st)
	left, err := proc.Members(ref)
	if err != nil {
		return engine.StopReport{}, err
	}
	if len(left) == 0 {
		return engine.StopReport{}, engine.ErrNotRunning
	}
	grace := o.Grace
	if grace == 0 {
		grace = defaultGrace
		if meta, err := jobdir.ReadMeta(r.Dir); err == nil && meta.Grace > 0 {
			grace = meta.Grace.Duration()
		}
	}
	res, err := proc.Terminate(ctx, ref, proc.Options{Grace: grace, KeepDaemons: o.KeepDaemons})
	return engine.StopReport{
		Took: res.Took, Escalated: res.Escalated, Survivors: holder.Describe(res.Survivors),
	}, err
}
