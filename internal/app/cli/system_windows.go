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

// passedSignals is Ctrl+C, which belongs to the job that we stand in for.
var passedSignals = []os.Signal{os.Interrupt}

// passSignal passes Ctrl+C on to the job.
func (a *app) passSignal(ctx context.Context, id engine.ID, _ os.Signal) {
	_ = a.eng.Signal(ctx, id, "SIGINT") // one that has just ended needs no signal
}

// suspendSelf is nil: there is nothing like it here.
var suspendSelf func()

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.ERROR_BROKEN_PIPE) }

// untilReaderGone has no way to look: the next write fails.
func untilReaderGone(context.Context, *os.File) bool { return false }

// inheritedDescriptors: jobs cannot be lent any here.
func inheritedDescriptors() []int { return nil }

// askTerminal asks for a line on the console that we run on, wherever our
// standard streams go; a secret is not shown. Ctrl+C refuses.
func askTerminal(ctx context.Context, text string, secret bool) (string, error) {
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return "", errNobody
	}
	defer in.Close()
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return "", errNobody
	}
	defer out.Close()
	before, err := term.GetState(int(in.Fd()))
	if err != nil {
		return "", errNobody
	}
	defer func() { _ = term.Restore(int(in.Fd()), before) }() // there is nothing else to try
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
	return answered(ctx, out, text, secret, read, interrupted)
}

// withoutEcho has nothing to do: the console does not echo what it answers.
func withoutEcho(*os.File) (restore func()) { return func() {} }

// windowSignals are none: there are no jobs with a terminal here.
var windowSignals []os.Signal

// keepSize has nothing to report.
func (a *app) keepSize(ctx context.Context, _ engine.Terminal, _ <-chan os.Signal) error {
	<-ctx.Done()
	return ctx.Err()
}
