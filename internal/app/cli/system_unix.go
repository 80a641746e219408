//go:build !windows

package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"time"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/units"
)

// forwardedSignals are forwarded to the job: all signals that Go does not use itself. SIGPIPE
// is one of them so that a write to a broken pipe returns an error. It must not be ignored
// instead, because the job would inherit that.
var forwardedSignals = []os.Signal{
	unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2,
	unix.SIGALRM, unix.SIGVTALRM, unix.SIGXCPU, unix.SIGXFSZ, unix.SIGABRT,
	unix.SIGTRAP, unix.SIGSYS, unix.SIGIO, unix.SIGWINCH,
	unix.SIGTSTP, unix.SIGCONT, unix.SIGPIPE,
}

// minFiles is how many open files every command must be allowed to have. With fewer than eight the
// Go runtime aborts the program as soon as it waits for a file or a process.
const minFiles = 16

func checkFileLimit() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || limit.Cur >= minFiles {
		return nil
	}
	return &failure{
		exit: exitFailed,
		code: "failed",
		err:  fmt.Errorf("only %s may be open at a time, and hob needs %d", units.Count(int(limit.Cur), "file"), minFiles),
		hint: "allow more open files: ulimit -n 256",
	}
}

// suspendSelf stops hob's process group, as Ctrl+Z does, until it is continued.
func suspendSelf() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, unix.SIGCONT)
	defer signal.Stop(c)
	if unix.Kill(0, unix.SIGTSTP) == nil {
		<-c
	}
}

// forwardSignal forwards a signal to the job.
func (a *app) forwardSignal(ctx context.Context, id engine.ID, s os.Signal) {
	switch s {
	case unix.SIGPIPE: // handled as the error of the write
	case unix.SIGTSTP:
		// The job is alone in its session, where the kernel discards SIGTSTP, so it gets
		// SIGSTOP. Then hob stops too.
		a.send(ctx, id, unix.SIGSTOP)
		_ = unix.Kill(os.Getpid(), unix.SIGSTOP)
	case unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT:
		// A queued job that has never run has no process that the signal could reach.
		if j, err := a.eng.Handle(id).Facts(ctx); err == nil && j.Status == engine.Queued && j.StartedAt.IsZero() {
			if _, err := a.eng.Handle(id).Stop(ctx, engine.StopOptions{By: "cli"}); err == nil {
				return
			}
		}
		a.send(ctx, id, s.(unix.Signal))
	default:
		a.send(ctx, id, s.(unix.Signal))
	}
}

// send signals the job. It ignores errors: the job may just have ended, and an unreachable
// host is reported when its output is read.
func (a *app) send(ctx context.Context, id engine.ID, s unix.Signal) {
	_ = a.eng.Handle(id).Signal(ctx, unix.SignalName(s))
}

func isBrokenPipe(err error) bool { return errors.Is(err, unix.EPIPE) }

// readerPoll is the interval of checking for the reader, in case the system does not report
// that it is gone.
const readerPoll = 250 * time.Millisecond

// untilReaderGone blocks until the reader of the pipe f has closed it, and returns true. A
// process that writes nothing would not notice otherwise. It returns false if ctx is done
// or f is not a pipe.
func untilReaderGone(ctx context.Context, f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return false
	}
	over, done, err := os.Pipe() // the write end is closed when ctx is done
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
		_, err := unix.Poll(fds, int(readerPoll.Milliseconds()))
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

// inheritedDescriptors returns the descriptors above 2 that hob inherited: those without the
// close-on-exec flag. It leaves out numbers above the current limit, which cannot be passed
// to another process.
func inheritedDescriptors() (numbers []int) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return nil
	}
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return nil // without it no command can name one
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

// askTerminal prompts for a line on the controlling terminal, without echo if secret is set.
// Ctrl+C and Ctrl+D cancel.
func askTerminal(ctx context.Context, text string, secret bool) (string, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return "", errNoTerminal
	}
	defer tty.Close()
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, unix.SIGINT, unix.SIGTERM, unix.SIGHUP)
	defer signal.Stop(interrupted)
	if secret {
		defer withoutEcho(tty)()
	}
	return promptLine(ctx, tty, text, secret, func() (string, error) { return bufio.NewReader(tty).ReadString('\n') }, interrupted)
}

// withoutEcho disables the echo of the terminal until restore is called. The UI does that
// itself while it runs; this covers the time before and after.
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
	return func() { _ = term.Restore(f.Fd(), saved) } // nothing can be done about an error
}

// windowSignals are those that a session with the terminal in raw mode has to handle.
var windowSignals = []os.Signal{unix.SIGWINCH, unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT}

// keepSize resizes the job's terminal whenever the user's terminal is resized, if it can be. It returns
// the signal if one asks hob to exit; the job keeps running.
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
			err := terminal.Resize(ctx, size)
			switch {
			case err == nil, errors.Is(err, engine.ErrNotRunning), errors.Is(err, engine.ErrUnsupported):
			default:
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
