package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
)

func (a *app) attachCommand() *cobra.Command {
	var raw bool
	cmd := &cobra.Command{
		Use:     "attach ID",
		GroupID: groupJobs,
		Short:   "Shows a job that runs, in the full window",
		Long: "Shows a job that runs in the full window, to watch and talk to; Ctrl+B leaves it.\n" +
			"Ends with the job's code if it ends meanwhile. Without ID, on a terminal, you choose.",
		Args:              words(0, 1, "a job"),
		ValidArgsFunction: a.completeJobs(engine.Filter{Running: true}, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.attach(cmd.Context(), args, raw)
		},
	}
	cmd.Flags().BoolVar(&raw, "raw", false, "pass the terminal through without UI")
	return cmd
}

func (a *app) attach(ctx context.Context, args []string, raw bool) error {
	a.shows = hasScreen(a.stdout)
	eng, err := a.engineWith(a.settings())
	if err != nil {
		return err
	}
	job, err := a.oneJob(ctx, args, engine.Act, engine.Filter{Running: true}, "Attach to which job?")
	if err != nil {
		return err
	}
	if job.Status.Finished() {
		return &failure{
			exit: exitState, code: "not_running", err: fmt.Errorf("%s has ended: %s", job.ID, job.Ending()),
			hint: fmt.Sprintf("hob log %s shows its output, hob restart %s runs it again", job.ID, job.ID),
		}
	}
	return a.show(ctx, eng, job, raw, 0)
}

// show shows a running job in the way that fits where hob stands, and leaves it
// after yield (0: never).
func (a *app) show(ctx context.Context, eng *engine.Engine, job engine.Job, raw bool, yield time.Duration) error {
	switch {
	case raw:
		a.sayInside()
		return a.passTerminal(ctx, eng, job, yield)
	case hasScreen(a.stdout):
		a.sayInside()
		return a.showWindow(ctx, eng, job, yield)
	}
	return a.watchOut(ctx, eng, job, yield)
}

// atMost is ctx with a time-out of d; 0 is none.
func atMost(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// watchOut copies a job's output from its start to its end. Unlike run it does
// not stand in for the job: leaving does nothing to it.
func (a *app) watchOut(ctx context.Context, eng *engine.Engine, job engine.Job, yield time.Duration) error {
	hold := eng.Hold(job)
	defer hold.Close()
	pipes, closeLogs, err := a.pipes(ctx, eng, job, hold)
	if err != nil {
		return hobFailed(err)
	}
	defer closeLogs()
	showing, cancel := atMost(ctx, yield)
	defer cancel()
	exit, err := eng.Follow(showing, job.ID, a.tellingLink(job, func(bool) error { return pipes.copy(showing) }))
	left := errors.Is(err, context.DeadlineExceeded)
	if left {
		if err := a.printLeft(job.ID, pipes.printedTo(a.stdout)); err != nil {
			return err
		}
	} else if err != nil {
		return hobFailed(err)
	}
	if err := pipes.whole(ctx, eng, job); err != nil {
		return hobFailed(err)
	}
	return ending{exit: exit, backgrounded: left}.status()
}
