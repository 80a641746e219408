//go:build !windows

package cli

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/signal"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
)

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

// catchWindow takes the signals that speak of our terminal, and those that ask
// us to end, so that it can be put in order first.
func catchWindow() signalCatch {
	c := make(chan os.Signal, 8)
	signal.Notify(c, unix.SIGWINCH)
	for _, s := range []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	return signalCatch{c, func() { signal.Stop(c) }}
}

// keepSize gives the job's terminal the size of ours whenever that changes. When
// we are asked to end, the job is left to itself.
func (a *app) keepSize(ctx context.Context, terminal engine.Terminal, window signalCatch) error {
	for {
		select {
		case s := <-window.signals:
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
