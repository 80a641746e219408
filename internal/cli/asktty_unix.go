//go:build !windows

package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"

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
	fmt.Fprintf(tty, "%s: ", text)
	type line struct {
		text string
		err  error
	}
	answer := make(chan line, 1)
	go func() { // ends with the answer, or with tty
		s, err := bufio.NewReader(tty).ReadString('\n')
		answer <- line{s, err}
	}()
	select {
	case l := <-answer:
		if secret {
			fmt.Fprintln(tty)
		}
		if l.err != nil && l.text == "" {
			return "", errors.New("no answer was given")
		}
		return strings.TrimRight(l.text, "\r\n"), nil
	case <-interrupted:
		fmt.Fprintln(tty)
		return "", errInterrupted
	case <-ctx.Done():
		fmt.Fprintln(tty)
		return "", ctx.Err()
	}
}
