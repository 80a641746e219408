package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"golang.org/x/term"
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
	fmt.Fprintf(out, "%s: ", text)
	type line struct {
		text string
		err  error
	}
	answer := make(chan line, 1)
	go func() { // ends with the answer, or with the console
		if secret {
			s, err := term.ReadPassword(int(in.Fd()))
			answer <- line{string(s), err}
			return
		}
		s, err := bufio.NewReader(in).ReadString('\n')
		answer <- line{s, err}
	}()
	select {
	case l := <-answer:
		if secret {
			fmt.Fprintln(out)
		}
		if l.err != nil && l.text == "" {
			return "", errors.New("no answer was given")
		}
		return strings.TrimRight(l.text, "\r\n"), nil
	case <-interrupted:
		fmt.Fprintln(out)
		return "", errInterrupted
	case <-ctx.Done():
		fmt.Fprintln(out)
		return "", ctx.Err()
	}
}
