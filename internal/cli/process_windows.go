package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/hobjobs/hob/engine"
)

// catchSignals takes Ctrl+C, which belongs to the job we stand in for.
func catchSignals() signalCatch {
	c := make(chan os.Signal, 16)
	signal.Notify(c, os.Interrupt)
	return signalCatch{c, func() { signal.Stop(c) }}
}

// passSignal passes Ctrl+C on to the job.
func passSignal(ctx context.Context, eng *engine.Engine, id engine.ID, _ os.Signal) {
	_ = eng.Signal(ctx, id, "SIGINT") // one that has just ended needs no signal
}

// suspendSelf is nil: there is nothing like it here.
var suspendSelf func()

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.ERROR_BROKEN_PIPE) }

// untilReaderGone has no way to look: the next write tells.
func untilReaderGone(context.Context, *os.File) bool { return false }

// inheritedDescriptors: jobs cannot be lent any here.
func inheritedDescriptors() []int { return nil }
