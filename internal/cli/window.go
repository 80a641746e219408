package cli

import (
	"context"

	"github.com/hobjobs/hob/engine"
)

// openUI opens the panes on all jobs.
func (a *app) openUI(ctx context.Context) error {
	if !isTerminal(a.stdin) || !isTerminal(a.stdout) {
		return usagef("hob list prints the jobs, hob help the verbs", "the UI needs a terminal on standard input and output")
	}
	return &failure{exit: exitFailed, code: "unsupported", err: engine.ErrUnsupported}
}

// runForeground starts a job and shows it in the full window.
func (a *app) runForeground(ctx context.Context, eng *engine.Engine, spec engine.Spec, f runFlags) error {
	return a.runRaw(ctx, eng, spec, f)
}

// showWindow shows a job that exists in the full window.
func (a *app) showWindow(ctx context.Context, eng *engine.Engine, job engine.Job) error {
	return a.passTerminal(ctx, eng, job, 0)
}
