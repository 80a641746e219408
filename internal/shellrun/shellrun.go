// Package shellrun runs shell commands that the user has set, beside a job: its health check, its stop command, the
// command of the user's notifications.
package shellrun

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"time"
)

// Shell is the shell of all commands.
const Shell = "/bin/sh"

// outputWait is how long a command may keep its output open after its end.
const outputWait = time.Second

// Command returns a command that sh runs until ctx is done, at the latest. The first of args is $0.
func Command(ctx context.Context, script string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, Shell, append([]string{"-c", script}, args...)...)
	// It gets no signal from the job's terminal, and all of it can be ended.
	OwnSession(cmd)
	cmd.Cancel = func() error { return killSession(cmd.Process) }
	cmd.WaitDelay = outputWait
	return cmd
}

// maxTail is how much of the output of a command is kept, in bytes.
const maxTail = 1 << 10

// ErrTooMuch means that a command has printed more than it may. Its output is closed then, which ends most commands.
var ErrTooMuch = errors.New("it printed too much")

// Tail is the end of what a command has printed.
type Tail struct {
	// Limit is how much the command may print, in bytes; 0: any amount.
	Limit   int
	buf     []byte
	written int
}

// Write implements [io.Writer].
func (t *Tail) Write(p []byte) (int, error) {
	t.written += len(p)
	t.buf = append(t.buf, p[max(0, len(p)-maxTail):]...)
	t.buf = t.buf[max(0, len(t.buf)-maxTail):]
	if t.Flooded() {
		return len(p), ErrTooMuch
	}
	return len(p), nil
}

// Flooded reports whether the command has printed more than it may.
func (t *Tail) Flooded() bool { return t.Limit > 0 && t.written > t.Limit }

// LastLine returns the last line that is not empty.
func (t *Tail) LastLine() string {
	text := bytes.TrimSpace(t.buf)
	return string(text[bytes.LastIndexByte(text, '\n')+1:])
}
