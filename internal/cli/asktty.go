package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// answered puts a question on a terminal and waits for what read, which takes a
// line from there, returns. read goes on by itself after an interrupt: it ends with
// the terminal.
func answered(ctx context.Context, tty io.Writer, text string, secret bool, read func() (string, error), interrupted <-chan os.Signal) (string, error) {
	fmt.Fprintf(tty, "%s: ", text)
	type line struct {
		text string
		err  error
	}
	answer := make(chan line, 1)
	go func() {
		s, err := read()
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
