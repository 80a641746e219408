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
