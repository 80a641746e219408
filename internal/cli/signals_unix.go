//go:build !windows

package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
)

// catchSignals takes the signals that belong to the job we stand in for: all that
// others may send us and that Go does not need itself. Those that we were told to
// ignore, as nohup does, stay ignored and are not passed on.
// SIGPIPE is among them so that a write to a pipe without reader returns an
// error; it must not be ignored, because the job would inherit that.
func catchSignals() signalCatch {
	c := make(chan os.Signal, 16)
	for _, s := range []os.Signal{
		unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2,
		unix.SIGALRM, unix.SIGVTALRM, unix.SIGXCPU, unix.SIGXFSZ, unix.SIGABRT,
		unix.SIGTRAP, unix.SIGSYS, unix.SIGIO, unix.SIGWINCH,
		unix.SIGTSTP, unix.SIGCONT, unix.SIGPIPE,
	} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	return signalCatch{c, func() { signal.Stop(c) }}
}

// suspendSelf stops our process group, as Ctrl+Z in a shell does, until it is continued.
func suspendSelf() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, unix.SIGCONT)
	defer signal.Stop(c)
	if unix.Kill(0, unix.SIGTSTP) == nil {
		<-c
	}
}

// passSignal passes a signal of ours on to the job.
func passSignal(ctx context.Context, eng *engine.Engine, id engine.ID, s os.Signal) {
	switch s {
	case unix.SIGPIPE: // the failed write says it too
	case unix.SIGTSTP:
		// The job is alone in its session, where the kernel discards SIGTSTP;
		// only SIGSTOP stops it. Then we stop as we were asked to.
		send(ctx, eng, id, unix.SIGSTOP)
		_ = unix.Kill(os.Getpid(), unix.SIGSTOP)
	default:
		send(ctx, eng, id, s.(unix.Signal))
	}
}

// send signals the job. One that has just ended needs no signal, and one that
// cannot be reached is not ours to complain about while its output goes on.
func send(ctx context.Context, eng *engine.Engine, id engine.ID, s unix.Signal) {
	_ = eng.Signal(ctx, id, unix.SignalName(s))
}

func isBrokenPipe(err error) bool { return errors.Is(err, unix.EPIPE) }
