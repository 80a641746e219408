package cli

import (
	"context"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/termstatus"
)

// programReports passes on what the programs in a job's terminal report of themselves to the user's terminal, if that
// keeps such reports: the job's own sequences do not reach it.
type programReports struct {
	job      engine.Job
	out      *filtering
	reporter termstatus.Reporter
}

// follow passes on reports until ctx ends. It waits until the user's terminal has answered whether it keeps them.
func (r *programReports) follow(ctx context.Context, eng *engine.Engine, own *ownTerminal) {
	select {
	case <-own.known:
	case <-ctx.Done():
	}
	if !own.keepsReports() {
		return
	}
	sub := eng.Subscribe(engine.Filter{IDs: []engine.ID{r.job.ID}})
	defer sub.Close()
	for {
		events, err := sub.Next(ctx)
		if err != nil {
			return // the session is over, or ends with the same error
		}
		r.out.insert(r.reporter.Update(reportsOf(events[len(events)-1].Job)))
		select {
		case <-time.After(termstatus.Every):
		case <-ctx.Done():
			return
		}
	}
}

func reportsOf(j engine.Job) []engine.ProgramReport {
	if j.Program == nil {
		return nil
	}
	return j.Program.Reports
}

// over returns the sequence that withdraws the reports of a job that was left, or that leaves behind how it ended. It
// must not be called before follow has returned.
func (r *programReports) over(end ending) string {
	if end.backgrounded || !end.exit.Known() {
		return r.reporter.Clear()
	}
	ended := r.job
	ended.Status, ended.Exit = end.exit.Status, end.exit
	return r.reporter.Last(ended.Name, ended.Unsuccessful())
}
