package cli

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"github.com/hobjobs/hob/engine"
)

// forwardedSignals are forwarded to the job.
var forwardedSignals = []os.Signal{os.Interrupt}

// forwardSignal forwards Ctrl+C to the job.
func (a *app) forwardSignal(ctx context.Context, id engine.ID, _ os.Signal) {
	_ = a.eng.Handle(id).Signal(ctx, "SIGINT") // the job may just have ended
}

// suspendSelf is nil: Windows has no job control.
var suspendSelf func()

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.ERROR_BROKEN_PIPE) }

// untilReaderGone always returns false: Windows reports a closed pipe only on a write.
func untilReaderGone(context.Context, *os.File) bool { return false }

// inheritedDescriptors returns nil: descriptors cannot be passed to jobs on Windows.
func inheritedDescriptors() []int { return nil }

// askTerminal prompts for a line on the console, without echo if secret is set. Ctrl+C
// cancels.
func askTerminal(ctx context.Context, text string, secret bool) (string, error) {
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return "", errNoTerminal
	}
	defer in.Close()
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return "", errNoTerminal
	}
	defer out.Close()
	before, err := term.GetState(int(in.Fd()))
	if err != nil {
		return "", errNoTerminal
	}
	defer func() { _ = term.Restore(int(in.Fd()), before) }() // nothing can be done about an error
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	defer signal.Stop(interrupted)
	read := func() (string, error) { return bufio.NewReader(in).ReadString('\n') }
	if secret {
		read = func() (string, error) {
			s, err := term.ReadPassword(int(in.Fd()))
			return string(s), err
		}
	}
	return promptLine(ctx, out, text, secret, read, interrupted)
}

// withoutEcho does nothing: the console does not echo its answers.
func withoutEcho(*os.File) (restore func()) { return func() {} }

// windowSignals is empty: jobs have no terminal on Windows.
var windowSignals []os.Signal

// keepSize waits until ctx is done.
func (a *app) keepSize(ctx context.Context, _ engine.Terminal, _ <-chan os.Signal) error {
	<-ctx.Done()
	return ctx.Err()
}

// checkFileLimit does nothing on this system, which has no such limit.
func checkFileLimit() error { return nil }
