package cli

import (
	"bufio"
	"context"
	"os"
	"os/signal"

	"golang.org/x/term"

	"github.com/hobjobs/hob/engine"
)

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

// catchWindow takes nothing: there are no jobs with a terminal here.
func catchWindow() signalCatch { return signalCatch{release: func() {}} }

// keepSize has nothing to tell.
func (a *app) keepSize(ctx context.Context, _ engine.Terminal, _ signalCatch) error {
	<-ctx.Done()
	return ctx.Err()
}
