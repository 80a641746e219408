package engine

import (
	"context"
	"errors"

	"github.com/hobjobs/hob/internal/holder"
)

// virtualBackend accesses virtual and attached executions: those of this program directly, others
// through their files and sockets. Such a job is alive as long as the program that performs it
// holds the lock.
type virtualBackend struct{ e *Engine }

var _ Backend = (*virtualBackend)(nil)

func (b *virtualBackend) Name() string                     { return virtualName }
func (b *virtualBackend) Capabilities(string) Capabilities { return Capabilities{} }
func (b *virtualBackend) Serves(string) bool               { return false }
func (b *virtualBackend) Close() error                     { return nil }

func (b *virtualBackend) Start(context.Context, Launch) (*State, error) { return nil, ErrUnsupported }

func (b *virtualBackend) Open(_ context.Context, r Record) (Run, error) {
	run := newVirtualRun(r.Dir, r.Job)
	if x := b.e.execution(r.ID); x != nil {
		return &ownRun{virtualRun: run, x: x}, nil
	}
	return run, nil
}

func (b *virtualBackend) Observe(ctx context.Context, rs []Record) (map[ID]State, error) {
	seen := make(map[ID]State, len(rs))
	var dirs []string
	verify := false
	for _, r := range rs {
		verify = verify || r.Verify
		if x := b.e.execution(r.ID); x != nil {
			seen[r.ID] = x.job().State
		} else {
			dirs = append(dirs, r.Dir)
		}
	}
	states, err := holder.LookAll(ctx, dirs, verify)
	for _, r := range rs {
		if s := states[r.Dir]; s != nil { // otherwise it was removed, or is in this program
			seen[r.ID] = *s
		}
	}
	return seen, err
}

// virtualRun is one execution of another program, or one that has ended.
type virtualRun struct{ *holder.Run }

func newVirtualRun(dir string, j Job) *virtualRun {
	return &virtualRun{holder.NewRun(dir, j.Request, false)}
}

// Stop ends the execution. The program that performs it answers within the grace period, unless it
// hangs.
func (r *virtualRun) Stop(ctx context.Context, o StopOptions) (StopReport, error) {
	ctx, cancel := stopContext(ctx, o.Grace, 2*hookTimeout)
	defer cancel()
	report, err := r.Run.Stop(ctx, o)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = context.Cause(ctx)
	}
	return report, err
}

// ownRun is one execution of this program. Errors of its hooks are passed on as they are.
type ownRun struct {
	*virtualRun
	x *Execution
}

func (r *ownRun) Stop(ctx context.Context, o StopOptions) (StopReport, error) {
	return r.x.stop(ctx, o)
}

func (r *ownRun) Write(ctx context.Context, p []byte) error { return r.x.write(ctx, p) }

func (r *ownRun) Resize(ctx context.Context, s Size) error { return r.x.h.Resize(ctx, s) }
