package local

import (
	"cmp"
	"context"
	"errors"
	"os"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/holder"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/localjob"
	"github.com/hobjobs/hob/internal/proc"
)

// Run is one job of this machine. It keeps nothing open between calls and is safe
// for concurrent use.
type Run struct{ *holder.Run }

// Stop implements [engine.Run]. Survivors of a job without a holder are found by their environment.
func (r *Run) Stop(ctx context.Context, o engine.StopOptions) (engine.StopReport, error) {
	if r.Request.Waits() {
		if report, done, err := r.stopQueued(ctx, o); done {
			return report, err
		}
	}
	report, err := r.Run.Stop(ctx, o)
	if errors.Is(err, engine.ErrNotRunning) {
		return r.stopSurvivors(ctx, o)
	}
	return report, err
}

// Observe implements [engine.Backend].
func (b *Backend) Observe(ctx context.Context, rs []engine.Record) (map[engine.ID]engine.State, error) {
	b.kids.reap()
	seen := make(map[engine.ID]engine.State, len(rs))
	queues := views{}
	for _, r := range rs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s, err := holder.Look(r.Dir); err == nil { // otherwise it was removed
			queues.complete(r.Dir, &r.Job.Request, &s)
			seen[r.ID] = s
		}
	}
	return seen, nil
}

// stopSurvivors ends the processes that a job without a holder left running. It signals only
// processes that are proven to belong to this boot and this job.
func (r *Run) stopSurvivors(ctx context.Context, o engine.StopOptions) (engine.StopReport, error) {
	st, err := jobdir.ReadState(r.Dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) { // it may list some
		return engine.StopReport{}, err
	}
	if err != nil || !holder.SeesProcesses(&st) {
		return engine.StopReport{}, engine.ErrNotRunning
	}
	ref := holder.Orphans(r.Request.ID, &st)
	left, err := proc.Members(ref)
	if err != nil {
		return engine.StopReport{}, err
	}
	if len(left) == 0 {
		return engine.StopReport{}, engine.ErrNotRunning
	}
	grace := cmp.Or(o.Grace, r.Request.Grace.Duration(), localjob.DefaultGrace)
	res, err := proc.Terminate(ctx, ref, proc.Options{Grace: grace, KeepDaemons: o.KeepDaemons})
	return engine.StopReport{
		Took: res.Took, Escalated: res.Escalated, Survivors: holder.Describe(res.Survivors),
	}, err
}
