//go:build !windows

package cli

import (
	"context"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/engine"
)

// keepSize gives the job's terminal the size of ours whenever that changes. When
// we are asked to end, the job is left to itself.
func (a *app) keepSize(ctx context.Context, terminal engine.Terminal) error {
	c := make(chan os.Signal, 8)
	signal.Notify(c, unix.SIGWINCH, unix.SIGTERM, unix.SIGHUP)
	defer signal.Stop(c)
	for {
		select {
		case s := <-c:
			if s != unix.SIGWINCH {
				return errLeft
			}
			size := terminalSize(a.stdout)
			if size == (engine.Size{}) {
				continue
			}
			if err := terminal.Resize(ctx, size); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
