//go:build linux || darwin

package localjob

import (
	"bytes"
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hobjobs/hob/internal/holder"
)

const (
	// inputTimeout is how long a job may leave typed input unread before the write fails.
	inputTimeout = 10 * time.Second
	// endOfFile is the character that ends the input of a terminal, unless the job has set another.
	endOfFile = 0x04
)

// input is the job's stdin: the master side of its terminal, or a pipe.
type input struct {
	f   *os.File
	tty *tty // nil: a pipe
	// lines: the pipe replaces a terminal, on which Enter ends a line.
	lines bool
	// final: the end of input is permanent, although a terminal would deliver further input to the
	// next reader.
	final bool
	echo  *echo // of a terminal that is for input only, else nil

	mu      sync.Mutex
	partial bool // the last byte typed did not end a line
	closed  bool // input is no longer accepted
}

// write types p. It fails if the job does not read for a while.
func (in *input) write(ctx context.Context, p []byte) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.lines {
		p = bytes.ReplaceAll(p, []byte{'\r'}, []byte{'\n'})
	}
	return in.writeLocked(ctx, p)
}

func (in *input) writeLocked(ctx context.Context, p []byte) error {
	if in.closed {
		return &holder.Failure{Code: holder.CodeNoInput, Message: "the job's input has ended"}
	}
	return in.typeLocked(ctx, p)
}

func (in *input) typeLocked(ctx context.Context, p []byte) error {
	stop := context.AfterFunc(ctx, func() { _ = in.f.SetWriteDeadline(time.Unix(1, 0)) })
	defer stop()
	in.echo.typing(p)
	for len(p) > 0 {
		_ = in.f.SetWriteDeadline(time.Now().Add(inputTimeout))
		if err := ctx.Err(); err != nil { // after setting the deadline, so that no earlier one applies
			return err
		}
		n, err := in.f.Write(p[:min(len(p), 4096)])
		if n > 0 {
			in.partial = p[n-1] != '\n' && p[n-1] != '\r'
		}
		p = p[n:]
		switch {
		case err == nil || n > 0:
		case errors.Is(err, os.ErrDeadlineExceeded):
			return &holder.Failure{Code: holder.CodeUnresponsive, Message: "the job does not read its input"}
		case errors.Is(err, unix.EPIPE) || errors.Is(err, unix.EIO):
			return &holder.Failure{Code: holder.CodeNoInput, Message: "the job has closed its input"}
		default:
			return err
		}
	}
	return nil
}

// end ends the input: of a pipe permanently, of a terminal like Ctrl+D, for the current reader.
func (in *input) end(ctx context.Context) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.closed {
		return nil
	}
	if in.tty == nil {
		in.closed = true
		return in.f.Close()
	}
	err := in.typeEndLocked(ctx)
	in.closed = in.final && err == nil
	return err
}

// close closes a pipe whose input was not ended; a terminal is closed by its owner.
func (in *input) close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.tty == nil && !in.closed {
		in.closed = true
		in.f.Close()
	}
}

// isOver reports whether the input of a terminal has ended permanently.
func (in *input) isOver() bool {
	if !in.mu.TryLock() { // a write or end in progress notifies the prompter afterward
		return false
	}
	defer in.mu.Unlock()
	return in.tty != nil && in.closed
}

// endAgain signals the end of input to the next reader of a terminal whose input has ended
// permanently. It reports whether it has.
func (in *input) endAgain(ctx context.Context) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.tty != nil && in.closed && in.typeEndLocked(ctx) == nil
}

func (in *input) typeEndLocked(ctx context.Context) error {
	char := byte(endOfFile)
	_ = in.tty.control(func(fd int) error {
		c, err := eofChar(fd)
		if err == nil && c != 0 {
			char = c
		}
		return err
	})
	p := []byte{char}
	if in.partial {
		p = append(p, char) // the first one only completes the line
	}
	in.partial = false
	err := in.typeLocked(ctx, p)
	in.partial = false
	return err
}
