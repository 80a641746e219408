// Package shell runs requests in a POSIX sh, on a host behind a connection or on this machine.
//
// A [Transport] starts `exec sh` and gives its standard input and output as a
// [Channel]. A [Session] is such a channel used for one request after the other:
// each is a piece of script, run in a subshell, and the answer is what that
// prints. The login shell parses only the two words `exec sh`. A random number in the line that
// closes each answer distinguishes answers from what start-up files print.
package shell

import (
	"context"
	"errors"
	"io"
)

// Command is what a login shell is asked to run.
const Command = "exec sh"

// Transport reaches one place that has a sh. Safe for concurrent use.
type Transport interface {
	// Open starts a sh there. The error is ErrNoSlot if no further one is allowed now, while those
	// that are open still work.
	Open(ctx context.Context) (Channel, error)
	// Done is closed when the place can no longer be reached this way; Err then returns the reason.
	Done() <-chan struct{}
	Err() error
	// Close ends the transport, and returns when nothing of it is left here. Jobs there keep
	// running.
	Close() error
}

// Channel is standard input and output of one sh. Read and Write may be called
// concurrently with each other, Close with both.
type Channel interface {
	io.ReadWriter
	// CloseWrite ends the input of the sh. It must not be called concurrently with Write.
	CloseWrite() error
	// Close ends the channel. Read and Write return then, or when the transport is closed: a server
	// may keep a channel open whose program is still running.
	Close() error
	// Stderr is the end of what was printed there, for error messages.
	Stderr() string
}

// ErrNoSlot means that no further channel can be opened now.
var ErrNoSlot = errors.New("the host allows no further session now")
