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
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
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

// Program is a transport whose channels are runs of a program on this machine: sh itself, or a
// program that runs sh elsewhere, such as in a container.
type Program struct {
	argv, env []string
	away      bool            // sh runs elsewhere, and continues when the program is ended
	life      context.Context // ends with the transport, for a cause
	fail      context.CancelCauseFunc
	all       Group
}

var _ Transport = (*Program)(nil)

const (
	outputGrace = 300 * time.Millisecond // time limit for a program's last output
	programEnd  = 2 * time.Second        // a program may take that has no input any more
)

// NewLocal returns the sh at path (found in PATH if it is a bare name) with the
// environment env (nil: this program's).
func NewLocal(path string, env []string) *Program {
	return newProgram(&Program{argv: []string{path}, env: env})
}

// NewEntrance returns the sh that argv runs elsewhere, such as in a container. The transport ends
// as soon as one run of argv ends by itself: the place has gone away then.
func NewEntrance(argv []string) *Program {
	return newProgram(&Program{argv: argv, away: true})
}

func newProgram(p *Program) *Program {
	p.life, p.fail = context.WithCancelCause(context.Background())
	return p
}

// Open implements [Transport].
func (p *Program) Open(context.Context) (Channel, error) {
	if p.life.Err() != nil {
		return nil, ErrClosed
	}
	cmd := exec.Command(p.argv[0], p.argv[1:]...)
	cmd.Env = p.env
	if p.away {
		cmd.WaitDelay = outputGrace
	}
	OwnSession(cmd)
	ch := &programChannel{p: p, cmd: cmd, closed: make(chan struct{}), gone: make(chan struct{})}
	var err error
	if ch.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if ch.out, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	cmd.Stderr = &ch.stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	wait := func() {
		select {
		case <-ch.closed:
		case <-p.life.Done():
			ch.Close()
		}
		cmd.Wait() //nolint:errcheck // the answers say how requests went
		close(ch.gone)
	}
	if !p.all.Go(wait) {
		wait()
		return nil, ErrClosed
	}
	return ch, nil
}

// Done implements [Transport].
func (p *Program) Done() <-chan struct{} { return p.life.Done() }

// Err implements [Transport].
func (p *Program) Err() error { return context.Cause(p.life) }

// Close implements [Transport]. It waits for what a sh of this machine is carrying out.
func (p *Program) Close() error {
	p.fail(ErrClosed)
	p.all.Close()
	return nil
}

type programChannel struct {
	p      *Program
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	stderr Tail
	closed chan struct{} // by Close
	gone   chan struct{} // closed when the program has ended and its output is complete
	once   sync.Once
}

func (c *programChannel) Read(p []byte) (int, error) {
	n, err := c.out.Read(p)
	if err != nil && c.p.away {
		select {
		case <-c.closed:
		default:
			c.p.fail(fmt.Errorf("%s ended", c.p.argv[0]))
		}
	}
	return n, err
}

func (c *programChannel) Write(p []byte) (int, error) { return c.in.Write(p) }
func (c *programChannel) CloseWrite() error           { return c.in.Close() }

// Stderr waits a moment for the last output of a program that is ending.
func (c *programChannel) Stderr() string {
	select {
	case <-c.closed:
		select {
		case <-c.gone:
		case <-time.After(2 * outputGrace):
		}
	default:
	}
	return c.stderr.String()
}

// Close ends the input: the sh exits after it has carried out its requests. A program that leads
// elsewhere is killed if it does not exit.
func (c *programChannel) Close() error {
	c.once.Do(func() {
		c.in.Close()
		if c.p.away {
			time.AfterFunc(programEnd, func() { c.cmd.Process.Kill() }) //nolint:errcheck // it may have ended
		}
		c.out.Close()
		close(c.closed)
	})
	return nil
}

// Tail keeps the end of what is written to it.
type Tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailSize = 4 << 10

func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if len(t.buf) > tailSize {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-tailSize:]...)
	}
	return len(p), nil
}

func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
