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

// catch returns a channel that gets these signals until [signal.Stop]. Those that we were
// started to ignore, as nohup does, stay ignored.
func catch(signals ...os.Signal) chan os.Signal {
	c := make(chan os.Signal, 16)
	for _, s := range signals {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	return c
}

// errReaderGone reports that our output has lost its reader.
var errReaderGone = errors.New("output has no reader")

// standIn waits for a job as if it were our own process: signals that we get go to the
// job, and after v.yield it goes to the background. If look returns errReaderGone the job
// ends as a process that writes into such a pipe does.
func (a *app) standIn(ctx context.Context, v view, look func(ended bool) error) (ending, error) {
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
				a.passSignal(ctx, v.job.ID, s)
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
			return ending{backgrounded: true}, look(false)
		}
	}
	return ending{exit: exit}, err
}

// pipeGrace is how long a job may take to end by SIGPIPE before it is stopped:
// it may have chosen to ignore that signal, and to see an error from its write
// that it cannot see here, because it writes into its log.
const pipeGrace = time.Second

// breakPipe ends a job whose output has no reader and returns how it ended.
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

// output writes to one of our own streams and distinguishes a missing reader from other
// errors.
type output struct{ f *os.File }

func (o output) Write(p []byte) (int, error) {
	n, err := o.f.Write(p)
	if isBrokenPipe(err) {
		err = errReaderGone
	}
	return n, err
}

// exitNoReader is the code of a program that SIGPIPE ended.
const exitNoReader = 141

// whileRead calls f, whose ctx is done when our output has lost its reader: a
// command that waits for what may never come must not outlast head -n 1.
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
