//go:build !windows

package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strconv"
	"time"

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

// readerLook is how often the reader is looked for, should the system not tell that
// it has gone.
const readerLook = 250 * time.Millisecond

// untilReaderGone returns true when nobody reads the pipe f any more, which a
// process that has nothing to write is else never told, and false when ctx is done
// or f is no pipe.
func untilReaderGone(ctx context.Context, f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return false
	}
	over, done, err := os.Pipe() // its end of writing is closed when ctx is done
	if err != nil {
		return false
	}
	defer over.Close()
	stop := context.AfterFunc(ctx, func() { done.Close() })
	defer func() {
		if stop() {
			done.Close()
		}
	}()
	for ctx.Err() == nil {
		fds := []unix.PollFd{{Fd: int32(f.Fd())}, {Fd: int32(over.Fd()), Events: unix.POLLIN}}
		_, err := unix.Poll(fds, int(readerLook.Milliseconds()))
		switch {
		case err == unix.EINTR:
		case err != nil:
			return false
		case fds[0].Revents != 0:
			return fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
		}
	}
	return false
}

// inheritedDescriptors are those beyond the usual three that we were started with, but
// for numbers that our limit keeps others from having: it was set after they were
// opened. All others of ours are closed in programs that we execute.
func inheritedDescriptors() (numbers []int) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return nil
	}
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return nil // then nothing can name one either
	}
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name())
		if err != nil || n < 3 || uint64(n) >= uint64(limit.Cur) { //nolint:unconvert // FreeBSD counts in int64
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(n), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			numbers = append(numbers, n)
		}
	}
	return numbers
}
