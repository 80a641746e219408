//go:build !windows

package cli

import (
	"bufio"
	"context"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
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
