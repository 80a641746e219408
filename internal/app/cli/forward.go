package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
)

// catch returns a channel that receives the signals until [signal.Stop]. Signals that were
// ignored when hob started, as with nohup, stay ignored.
func catch(signals ...os.Signal) chan os.Signal {
	c := make(chan os.Signal, 16)
	for _, s := range signals {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	return c
}

// errReaderGone means that the reader of hob's output has closed the pipe.
var errReaderGone = errors.New("output has no reader")

// forward waits for a job that hob runs in place of its command. It forwards signals to the
// job and sends it to the background after v.yield. If look returns errReaderGone, it ends
// the job with SIGPIPE.
func (a *app) forward(ctx context.Context, v view, look func(engine.Job) error) (ending, error) {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()

	var yielded bool
	following, stop := context.WithCancel(ctx)
	defer stop()
	work.Go(func() {
		var after <-chan time.Time
		if v.yield > 0 {
			t := time.NewTimer(v.yield)
			defer t.Stop()
			after = t.C
		}
		for {
			select {
			case s := <-v.signals:
				a.forwardSignal(ctx, v.job.ID, s)
			case <-after:
				yielded = a.eng.Background(v.job.ID) == nil
				if yielded {
					stop()
					return
				}
			case <-following.Done():
				return
			}
		}
	})
	exit, err := a.eng.Follow(following, v.job.ID, look)
	stop()
	switch {
	case errors.Is(err, errReaderGone):
		exit, err = a.breakPipe(ctx, v.job.ID)
	case errors.Is(err, context.Canceled):
		work.Wait()
		if yielded {
			return ending{backgrounded: true}, look(v.job)
		}
	}
	return ending{exit: exit}, err
}

// pipeGrace is how long a job may run after SIGPIPE before it is stopped. A job that ignores
// the signal relies on an error of its write, which it does not get, because it writes to
// its log.
const pipeGrace = time.Second

// breakPipe ends a job whose output has no reader and returns its end.
func (a *app) breakPipe(ctx context.Context, id engine.ID) (engine.Exit, error) {
	if err := a.eng.Signal(ctx, id, "SIGPIPE"); err != nil && !errors.Is(err, engine.ErrNotRunning) {
		return engine.Exit{}, err
	}
	soon, cancel := context.WithTimeout(ctx, pipeGrace)
	defer cancel()
	exit, err := a.eng.Wait(soon, id)
	if soon.Err() == nil {
		return exit, err
	}
	if _, err := a.eng.Stop(ctx, id, engine.StopOptions{By: "cli"}); err != nil && !errors.Is(err, engine.ErrNotRunning) {
		return engine.Exit{}, err
	}
	return a.eng.Wait(ctx, id)
}

// output writes to standard output or standard error, and returns errReaderGone for a broken
// pipe.
type output struct{ f *os.File }

func (o output) Write(p []byte) (int, error) {
	n, err := o.f.Write(p)
	if isBrokenPipe(err) {
		err = errReaderGone
	}
	return n, err
}

// exitNoReader is the exit code of a program that was killed by SIGPIPE.
const exitNoReader = 141

// whileRead calls f with a context that is canceled when the reader of standard output
// closes the pipe, so that a command that blocks exits then, as with | head -n 1.
func (a *app) whileRead(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel(nil)
	work.Go(func() {
		if untilReaderGone(ctx, a.stdout) {
			cancel(errReaderGone)
		}
	})
	err := f(ctx)
	if errors.Is(context.Cause(ctx), errReaderGone) {
		return exitStatus(exitNoReader)
	}
	return err
}
