// Package shell talks to a POSIX sh somewhere: on a host behind a connection or
// on this machine.
//
// A [Transport] starts `exec sh` and gives its standard input and output as a
// [Channel]. A [Session] is such a channel used for one request after the other:
// each is a piece of script, run in a subshell, and the answer is what that
// prints. The login shell parses nothing but the two words `exec sh`; what it or
// its start-up files print is told apart from answers by a random number in the
// line that closes each answer.
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
	// Open starts a sh there. The error is ErrNoSlot when the place takes no
	// further one now but those that are open go on.
	Open(ctx context.Context) (Channel, error)
	// Done is closed when the place cannot be reached this way any more; Err then
	// says why.
	Done() <-chan struct{}
	Err() error
	// Close lets go of the place. It returns when nothing of the transport is
	// left here; what runs there runs on.
	Close() error
}

// Channel is standard input and output of one sh. Read and Write may be called
// concurrently with each other, Close with both.
type Channel interface {
	io.ReadWriter
	// CloseWrite ends the input of the sh. It may not be called while somebody writes.
	CloseWrite() error
	// Close ends the channel. Read and Write return then, or when the transport is
	// closed: a server may keep a channel open whose program runs on.
	Close() error
	// Stderr is the end of what was printed there, for error messages.
	Stderr() string
}

// ErrNoSlot means that no further channel can be opened now.
var ErrNoSlot = errors.New("the host takes no further session now")
