package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
)

// mode is how a job is shown.
type mode int

const (
	unseen   mode = iota // not at all: its id is printed
	asJSON               // at its end, or when it is left, as one object
	inRaw                // on our terminal, which is passed through to it
	inWindow             // in the full window
	asOutput             // what it writes comes out of us byte for byte, each stream in its own order
)

// A view is a job that run or attach shows.
type view struct {
	mode  mode
	job   engine.Job
	yield time.Duration // after which the job is left in the background; 0: never
	// ours: the job was started for the caller, in whose place it stands: it gets our
	// signals, and leaving it sends it to the background. Another one is only looked at.
	ours    bool
	signals chan os.Signal // of ours, with asJSON and asOutput
	hold    *engine.Hold   // of ours, with asOutput
}

// startAndShow starts a job and shows it as v describes.
func (a *app) startAndShow(ctx context.Context, spec engine.Spec, v view) error {
	var opts []engine.StartOption
	switch v.mode {
	case inRaw:
		a.reportInside()
		opts = a.lendStderr(spec)
	case inWindow:
		a.reportInside()
		opts = append(a.lendStdin(spec), a.lendStderr(spec)...)
	case asJSON, asOutput:
		v.signals = catch(passedSignals...) // from here on they are the job's
		defer signal.Stop(v.signals)
		v.hold = &engine.Hold{}
		defer v.hold.Close()
		if opts = a.lendStdin(spec); v.mode == asOutput {
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
		return a.printStarted(job)
	case v.mode == asJSON:
		feeds = spec.Host != "" && spec.Stdin
	case job.Status == engine.Failed:
		a.reportFailedStart(job)
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

// attachTo shows a job that runs already in the way that fits where hob stands.
func (a *app) attachTo(ctx context.Context, job engine.Job, raw bool, yield time.Duration) error {
	v := view{mode: asOutput, job: job, yield: yield}
	switch {
	case raw:
		v.mode = inRaw
		a.reportInside()
	case hasScreen(a.stdout):
		v.mode = inWindow
		a.reportInside()
	}
	return a.show(ctx, v)
}

func (a *app) show(ctx context.Context, v view) error {
	switch v.mode {
	case asJSON:
		return a.showJSON(ctx, v)
	case inRaw:
		return a.showRaw(ctx, v)
	case inWindow:
		return a.showWindow(ctx, v)
	case asOutput:
		return a.showOutput(ctx, v)
	case unseen:
	}
	return nil
}

// showJSON prints the job whole, at its end or when it is left.
func (a *app) showJSON(ctx context.Context, v view) error {
	end, err := a.accompany(ctx, v, func(bool) error { return nil })
	if err == nil {
		err = a.printJob(a.again(context.WithoutCancel(ctx), []engine.Job{v.job})[0])
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
	end, err := a.accompany(ctx, v, a.withLinkReports(v.job, func(bool) error { return pipes.copy(ctx) }))
	if err == nil {
		err = pipes.whole(ctx, a.eng, v.job)
	}
	if dir := jobDir(v.job); err == nil && v.ours && v.job.Host == "" && jobdir.Full(dir) {
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
		if v.job.Status == engine.Failed { // which its host had not reported at the start
			a.reportFailedStart(v.job)
		}
	}
	return end.status()
}

// accompany waits until the job has ended, or its time with us is over. look is called as
// for [engine.Engine.Follow].
func (a *app) accompany(ctx context.Context, v view, look func(ended bool) error) (ending, error) {
	if v.ours {
		return a.standIn(ctx, v, look)
	}
	following, cancel := atMost(ctx, v.yield)
	defer cancel()
	exit, err := a.eng.Follow(following, v.job.ID, look)
	if errors.Is(err, context.DeadlineExceeded) {
		return ending{backgrounded: true}, nil
	}
	return ending{exit: exit}, err
}

// atMost is ctx with a time-out of d; 0 is none.
func atMost(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// An ending is how showing a job came to its end.
type ending struct {
	exit         engine.Exit
	backgrounded bool // the job goes on without us
}

// status is what hob ends with.
func (e ending) status() error {
	if e.backgrounded {
		return nil
	}
	if code := ownCode(e.exit); code != 0 {
		return exitStatus(code)
	}
	return nil
}

// printLeft prints the id of a job that goes on without us: on standard error if
// standard output has output of the job, of which the id must not seem a line.
func (a *app) printLeft(id engine.ID, printed bool) error {
	to := a.stdout
	if printed {
		to = a.stderr
	}
	if _, err := fmt.Fprintln(to, id); err != nil {
		return hobFailed(fmt.Errorf("%s goes on in the background, but that cannot be printed: %w", id, err))
	}
	return nil
}
