//go:build linux || darwin

package local

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
	// inputPatience is how long a job may read nothing of what is typed before
	// whoever types is told so.
	inputPatience = 10 * time.Second
	// maxPending bounds answers of the terminal that the job does not read.
	maxPending = 64 << 10
	// endOfFile is what ends the input of a terminal, unless the job chose another.
	endOfFile = 0x04
)

// input is where a job reads from: the master of its terminal, or a pipe.
type input struct {
	f   *os.File
	tty *tty // nil: a pipe
	// lines: the pipe stands in for a terminal, for which Enter ends a line.
	lines bool
	// final: what ends the input does so for good, also where the terminal would
	// go on for the next one that reads.
	final bool

	mu      sync.Mutex
	partial bool // the last byte typed did not end a line
	closed  bool // nothing is taken any more

	pendMu   sync.Mutex
	pending  []byte // answers to queries
	flushing bool
}

// write types p. It fails when the job has read nothing for a while.
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
	for len(p) > 0 {
		_ = in.f.SetWriteDeadline(time.Now().Add(inputPatience))
		if err := ctx.Err(); err != nil { // only now: a deadline of before is gone
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

// end ends the input: of a pipe for good, of a terminal as a person would, which
// is for the one that reads now.
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

// close lets go of a pipe whose input nobody has ended; the terminal has an owner.
func (in *input) close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.tty == nil && !in.closed {
		in.closed = true
		in.f.Close()
	}
}

// over reports whether the input of a terminal has ended for good.
func (in *input) over() bool {
	if !in.mu.TryLock() { // somebody types, or ends it, and tells the prompter then
		return false
	}
	defer in.mu.Unlock()
	return in.tty != nil && in.closed
}

// endAgain tells the next one that reads of a terminal whose input has ended for
// good. It reports whether that is so.
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
		p = append(p, char) // the first one only ends the line
	}
	in.partial = false
	err := in.typeLocked(ctx, p)
	in.partial = false
	return err
}

// reply types an answer of the terminal without making the caller wait; wg owns
// the goroutine that does.
func (in *input) reply(ctx context.Context, wg *sync.WaitGroup, p []byte) {
	in.pendMu.Lock()
	defer in.pendMu.Unlock()
	if len(in.pending)+len(p) > maxPending {
		return
	}
	in.pending = append(in.pending, p...)
	if in.flushing {
		return
	}
	in.flushing = true
	wg.Go(func() {
		for {
			in.pendMu.Lock()
			p := in.pending
			in.pending = nil
			if len(p) == 0 {
				in.flushing = false
			}
			in.pendMu.Unlock()
			if len(p) == 0 {
				return
			}
			_ = in.write(ctx, p) // a job that asks and does not listen gets no answer
		}
	})
}
