package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/internal/diskspace"
)

func (a *app) attachCommand() *cobra.Command {
	var raw bool
	cmd := &cobra.Command{
		Use:     "attach [ID]",
		GroupID: groupRun,
		Short:   "Attach to a running job",
		Long: "Show a running job in the full window and type into it; Ctrl+B detaches. Exits with\n" +
			"the job's exit code if the job ends. Without ID, choose one from a list.",
		Args:              argCount(0, 1, "job ID"),
		ValidArgsFunction: a.completeJobs(engine.Filter{Running: true}, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.attach(cmd.Context(), args, raw)
		},
	}
	cmd.Flags().BoolVar(&raw, "raw", false, "no UI: connect the terminal directly")
	return cmd
}

func (a *app) attach(ctx context.Context, args []string, raw bool) error {
	a.onScreen = hasScreen(a.stdout)
	if _, err := a.engineWith(a.settings()); err != nil {
		return err
	}
	job, err := a.oneJob(ctx, args, engine.Act, engine.Filter{Running: true}, "Attach to which job?")
	if err != nil {
		return err
	}
	if job.Status.Finished() {
		return hasEnded(job, engine.ErrNotRunning)
	}
	return a.attachTo(ctx, job, raw, 0)
}

// mode is the way in which run and attach show a job.
type mode int

const (
	unseen   mode = iota // only print its ID
	asJSON               // print one object when it ends or is left
	inRaw                // connect the terminal directly
	inWindow             // in the full window
	asOutput             // copy its output byte for byte
)

// A view is a job that run or attach shows.
type view struct {
	mode  mode
	job   engine.Job
	yield time.Duration // leave the job in the background after this; 0: never
	// ours means that hob started the job in place of its command: it forwards signals, and
	// leaving sends the job to the background. Any other job is only watched.
	ours    bool
	signals chan os.Signal // to forward, with asJSON and asOutput
	hold    *joblog.Hold   // keeps output that is not yet copied, with asOutput
}

func (a *app) startAndShow(ctx context.Context, spec engine.Spec, v view) error {
	var opts []engine.StartOption
	switch v.mode {
	case inRaw:
		a.warnNested()
		opts = a.passStderr(spec)
	case inWindow:
		a.warnNested()
		opts = append(a.passStdin(spec), a.passStderr(spec)...)
	case asJSON, asOutput:
		v.signals = catch(forwardedSignals...)
		defer signal.Stop(v.signals)
		v.hold = &joblog.Hold{}
		defer v.hold.Close()
		if opts = a.passStdin(spec); v.mode == asOutput {
			opts = append(opts, engine.WithHold(v.hold))
		}
	case unseen:
	}
	job, err := a.start(ctx, spec, opts...)
	if err != nil {
		return err
	}
	feeds := false
	switch {
	case v.mode == unseen:
		return a.printStarted(ctx, job)
	case v.mode == asJSON:
		feeds = spec.Host != "" && spec.Stdin
	case job.Status == engine.Failed:
		a.reportFailedStart(ctx, job)
		return exitStatus(ownCode(job.Exit))
	case v.mode == asOutput:
		feeds = spec.Stdin || spec.PTY && isTerminal(a.stdin)
	}
	if feeds {
		a.feedStdin(ctx, job.ID)
	}
	v.job, v.ours = job, true
	return a.show(ctx, v)
}

// attachTo shows a running job as fits the flags and the terminal.
func (a *app) attachTo(ctx context.Context, job engine.Job, raw bool, yield time.Duration) error {
	v := view{mode: asOutput, job: job, yield: yield}
	switch {
	case raw:
		v.mode = inRaw
		a.warnNested()
	case hasScreen(a.stdout):
		v.mode = inWindow
		a.warnNested()
	}
	return a.show(ctx, v)
}

func (a *app) show(ctx context.Context, v view) error {
	switch v.mode {
	case asJSON:
		return a.showJSON(ctx, v)
	case inRaw:
		defer a.markSeen(v.job.ID)
		return a.showRaw(ctx, v)
	case inWindow:
		return a.showWindow(ctx, v) // marks the jobs that it shows
	case asOutput:
		defer a.markSeen(v.job.ID)
		return a.showOutput(ctx, v)
	case unseen:
	}
	return nil
}

// showJSON prints all fields of the job when it ends or is left.
func (a *app) showJSON(ctx context.Context, v view) error {
	end, err := a.await(ctx, v, func(engine.Job) error { return nil })
	if err == nil {
		err = a.printJSON(a.refresh(context.WithoutCancel(ctx), v.job)[0])
	}
	if err != nil {
		return hobFailed(err)
	}
	return end.status()
}

// showOutput copies the job's output from its start to its end.
func (a *app) showOutput(ctx context.Context, v view) error {
	if !v.ours {
		v.hold = a.eng.Hold(v.job)
		defer v.hold.Close()
	}
	pipes, closeLogs, err := a.pipes(ctx, v.job, v.hold)
	if err != nil {
		return hobFailed(err)
	}
	defer closeLogs()
	end, err := a.await(ctx, v, a.reporting(v.job, func(engine.Job) error { return pipes.copy(ctx) }))
	if err == nil {
		err = pipes.checkComplete(ctx, a.eng, v.job)
	}
	startedHere := v.ours && v.job.Host == ""
	if dir := jobDir(v.job); err == nil && startedHere && diskspace.Full(dir) {
		full := fmt.Errorf("the disk of %s is full: output may be missing", dir)
		if end.status() == nil && !end.backgrounded {
			err = full
		} else {
			a.reportf("hob: %v", full)
		}
	}
	if end.backgrounded {
		if err := a.printLeft(v.job.ID, pipes.printedTo(a.stdout)); err != nil {
			return err
		}
	}
	if err != nil {
		return hobFailed(err)
	}
	if v.ours && !end.backgrounded {
		v.job.Status, v.job.Exit = end.exit.Status, end.exit
		a.reportLost([]engine.Job{v.job})
		if v.job.Status == engine.Failed { // reported late, by a host
			a.reportFailedStart(ctx, v.job)
		}
	}
	return end.status()
}

// await waits until the job has ended or v.yield is over. It calls look as
// [engine.Condition] says.
func (a *app) await(ctx context.Context, v view, look func(engine.Job) error) (ending, error) {
	if v.ours {
		return a.forward(ctx, v, look)
	}
	following, cancel := atMost(ctx, v.yield)
	defer cancel()
	out, err := a.eng.Handle(v.job.ID).WaitFor(following, engine.Condition{Look: look})
	if errors.Is(err, context.DeadlineExceeded) {
		return ending{backgrounded: true}, nil
	}
	return ending{exit: out.Exit}, err
}

// atMost returns ctx with a timeout of d; 0 means none.
func atMost(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// An ending is the result of showing a job: its end, or that the user detached from it.
type ending struct {
	exit         engine.Exit
	backgrounded bool // the job keeps running; exit is not set
}

func (e ending) status() error {
	if e.backgrounded {
		return nil
	}
	if code := ownCode(e.exit); code != 0 {
		return exitStatus(code)
	}
	return nil
}

// printLeft prints the ID of a job that was left running. printed reports whether standard
// output has output of the job; then the ID goes to standard error, so that it is not
// taken for a line of output.
func (a *app) printLeft(id engine.ID, printed bool) error {
	to := a.stdout
	if printed {
		to = a.stderr
	}
	if _, err := fmt.Fprintln(to, id); err != nil {
		return hobFailed(fmt.Errorf("%s keeps running in the background, but its ID cannot be printed: %w", id, err))
	}
	return nil
}
