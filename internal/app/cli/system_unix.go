//go:build !windows

package cli

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/signal"
	"strconv"
	"time"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
)

// passedSignals belong to the job that we stand in for: all that others may send us and
// that Go does not need itself. SIGPIPE is among them so that a write to a pipe without
// reader returns an error; it must not be ignored, because the job would inherit that.
var passedSignals = []os.Signal{
	unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2,
	unix.SIGALRM, unix.SIGVTALRM, unix.SIGXCPU, unix.SIGXFSZ, unix.SIGABRT,
	unix.SIGTRAP, unix.SIGSYS, unix.SIGIO, unix.SIGWINCH,
	unix.SIGTSTP, unix.SIGCONT, unix.SIGPIPE,
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
func (a *app) passSignal(ctx context.Context, id engine.ID, s os.Signal) {
	switch s {
	case unix.SIGPIPE: // the failed write says it too
	case unix.SIGTSTP:
		// The job is alone in its session, where the kernel discards SIGTSTP;
		// only SIGSTOP stops it. Then we stop as we were asked to.
		a.send(ctx, id, unix.SIGSTOP)
		_ = unix.Kill(os.Getpid(), unix.SIGSTOP)
	default:
		a.send(ctx, id, s.(unix.Signal))
	}
}

// send signals the job. One that has just ended needs no signal, and one that
// cannot be reached is not ours to complain about while its output goes on.
func (a *app) send(ctx context.Context, id engine.ID, s unix.Signal) {
	_ = a.eng.Signal(ctx, id, unix.SignalName(s))
}

func isBrokenPipe(err error) bool { return errors.Is(err, unix.EPIPE) }

// readerLook is how often the reader is looked for, should the system not report that
// it has gone.
const readerLook = 250 * time.Millisecond

// untilReaderGone returns true when the pipe f has lost its reader, which a
// process that has nothing to write does not learn otherwise, and false when ctx is done
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

// askTerminal asks for a line on the terminal that we run on, wherever our
// standard streams go; a secret is not shown. Ctrl+C and Ctrl+D refuse.
func askTerminal(ctx context.Context, text string, secret bool) (string, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return "", errNobody
	}
	defer tty.Close()
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, unix.SIGINT, unix.SIGTERM, unix.SIGHUP)
	defer signal.Stop(interrupted)
	if secret {
		defer withoutEcho(tty)()
	}
	return answered(ctx, tty, text, secret, func() (string, error) { return bufio.NewReader(tty).ReadString('\n') }, interrupted)
}

// withoutEcho keeps the terminal from echoing what it is sent, until restore. The
// UI does so by itself while it runs; this covers the moments before and after.
func withoutEcho(f *os.File) (restore func()) {
	saved, err := term.GetState(f.Fd())
	if err != nil {
		return func() {}
	}
	quiet := *saved
	quiet.Lflag &^= unix.ECHO
	if term.SetState(f.Fd(), &quiet) != nil {
		return func() {}
	}
	return func() { _ = term.Restore(f.Fd(), saved) } // there is nothing else to try
}

// windowSignals report on our terminal, or ask us to end, before which it is put in order.
var windowSignals = []os.Signal{unix.SIGWINCH, unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT}

// keepSize gives the job's terminal the size of ours whenever that changes. When
// we are asked to end, the job is left to itself.
func (a *app) keepSize(ctx context.Context, terminal engine.Terminal, window <-chan os.Signal) error {
	for {
		select {
		case s := <-window:
			if s != unix.SIGWINCH {
				return signalOf(s)
			}
			size := terminalSize(a.stdout)
			if size == (engine.Size{}) {
				continue
			}
			if err := terminal.Resize(ctx, size); err != nil && !errors.Is(err, engine.ErrNotRunning) {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
