//go:build linux || darwin

package localjob

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

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
	if in.closed {
		return &holder.Failure{Code: holder.CodeNoInput, Message: "the job's input has ended"}
	}
	return in.typeLocked(ctx, p)
}

func (in *input) typeLocked(ctx context.Context, p []byte) error {
	stop := context.AfterFunc(ctx, func() { _ = in.f.SetWriteDeadline(time.Unix(1, 0)) })
	defer stop()
	in.echo.typing(p)
	for all := len(p); len(p) > 0; {
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
		case err == nil, n > 0:
		case errors.Is(err, os.ErrDeadlineExceeded):
			return &holder.Failure{
				Code:    holder.CodeUnresponsive,
				Message: "the job does not read its input",
				Taken:   all - len(p),
			}
		case errors.Is(err, unix.EPIPE), errors.Is(err, unix.EIO):
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
	return in.isOverLocked()
}

func (in *input) isOverLocked() bool { return in.tty != nil && in.closed }

// endAgain signals the end of input to the next reader of a terminal whose input has ended
// permanently. It reports whether it has.
func (in *input) endAgain(ctx context.Context) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.isOverLocked() && in.typeEndLocked(ctx) == nil
}

func (in *input) typeEndLocked(ctx context.Context) error {
	char := byte(endOfFile)
	if m, err := in.tty.modes(); err == nil && m.Cc[unix.VEOF] != 0 {
		char = m.Cc[unix.VEOF]
	}
	p := []byte{char}
	if in.partial {
		p = append(p, char) // the first one only completes the line
	}
	in.partial = false
	err := in.typeLocked(ctx, p)
	in.partial = false
	return err
}

const (
	// maxEcho bounds input whose echo is removed, in bytes. The kernel drops echo that it has to
	// keep for long, so that of more input is not reliable.
	maxEcho = 1000
	// echoPatience is how long the echo of input may take, on a machine under load.
	echoPatience = 5 * time.Second
)

// echo keeps the echo of input out of the log of a job whose terminal is for input only. The echo of
// that terminal is on, so that it can be recognized when a program turns it off to ask for a
// password. The echo of lines of text is predictable, and is removed from what the terminal prints.
// Before any other input, the echo is turned off for good; then hob can no longer detect whether
// input is hidden. A program that turns it on again is not noticed until the next input.
type echo struct {
	tty  *tty
	own  bool         // this process is the job's holder
	emit func([]byte) // called with mu held for output that was held back for too long

	mu     sync.Mutex
	off    bool
	want   []byte // echo that is expected
	seen   int    // length of the prefix of want that was read and is held back
	expiry *time.Timer
}

// known reports whether the program alone decides about the echo.
func (e *echo) known() bool {
	if e == nil {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return !e.off
}

// typing prepares for input. It is called before p is written.
func (e *echo) typing(p []byte) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	mode, err := e.tty.mode()
	text, ok := echoOf(p)
	switch {
	case err != nil, !mode.echo:
	case ok && mode.canonical && e.canExpect(len(text)):
		e.want = append(e.want, text...)
		if e.expiry != nil {
			e.expiry.Stop()
		}
		e.expiry = time.AfterFunc(echoPatience, e.giveUp)
	default:
		e.off = true
		e.turnOff()
	}
}

// turnOff turns off the echo. A holder leads the session of the terminal, and is not its foreground
// process group.
func (e *echo) turnOff() {
	if e.own {
		signal.Ignore(syscall.SIGTTOU)
		defer signal.Reset(syscall.SIGTTOU)
	}
	_ = e.tty.echoOff() // a terminal that is gone has no echo
}

// strip returns p without the expected echo, and without a beginning of it at the end of p, which is
// held back.
func (e *echo) strip(p []byte) []byte {
	if e == nil {
		return p
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.want) == 0 {
		return p
	}
	text := append(bytes.Clone(e.want[:e.seen]), p...)
	e.seen = 0
	// Lines that were typed at different times can have other output in between.
	var out []byte
	for len(e.want) > 0 && len(text) > 0 {
		line := e.want[:bytes.IndexByte(e.want, '\n')+1]
		if len(line) == 0 {
			line = e.want
		}
		if i := bytes.Index(text, line); i >= 0 {
			out, text, e.want = append(out, text[:i]...), text[i+len(line):], e.want[len(line):]
			continue
		}
		e.seen = heldBack(text, line)
		out, text = append(out, text[:len(text)-e.seen]...), nil
	}
	return append(out, text...)
}

// heldBack returns the length of the longest end of text that is a beginning of line.
func heldBack(text, line []byte) int {
	for n := min(len(text), len(line)-1); n > 0; n-- {
		if bytes.HasSuffix(text, line[:n]) {
			return n
		}
	}
	return 0
}

// giveUp emits what was held back for an echo that did not follow.
func (e *echo) giveUp() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.expiry != nil {
		e.expiry.Stop()
	}
	if e.seen > 0 {
		e.emit(e.want[:e.seen])
	}
	e.want, e.seen = nil, 0
}

// canExpect reports whether an echo of n more bytes can be recognized; e.mu is held.
func (e *echo) canExpect(n int) bool { return !e.off && len(e.want)+n <= 2*maxEcho }

// echoOf returns how a terminal in line mode echoes p; ok is false if that is not certain.
func echoOf(p []byte) (text []byte, ok bool) {
	if len(p) > maxEcho || !utf8.Valid(p) {
		return nil, false
	}
	for _, r := range string(p) {
		switch {
		case r == '\n', r == '\r':
			text = append(text, "\r\n"...)
		case unicode.IsControl(r):
			return nil, false
		default:
			text = utf8.AppendRune(text, r)
		}
	}
	return text, true
}
