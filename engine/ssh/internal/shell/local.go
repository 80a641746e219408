package shell

import (
	"context"
	"io"
	"os/exec"
	"sync"
)

// Local is the sh of this machine.
type Local struct {
	path string
	env  []string
	done chan struct{}
	once sync.Once
	all  Group
}

var _ Transport = (*Local)(nil)

// NewLocal returns the sh at path (found in PATH if it is a bare name) with the
// environment env (nil: this program's).
func NewLocal(path string, env []string) *Local {
	return &Local{path: path, env: env, done: make(chan struct{})}
}

// Open implements [Transport].
func (l *Local) Open(context.Context) (Channel, error) {
	select {
	case <-l.done:
		return nil, errClosed
	default:
	}
	cmd := exec.Command(l.path)
	cmd.Env = l.env
	ownSession(cmd)
	ch := &localChannel{}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = &ch.stderr
	ch.in, ch.out = in, out
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ch.ended = make(chan struct{})
	mind := func() {
		select {
		case <-ch.ended:
		case <-l.done:
			ch.Close()
		}
		cmd.Wait() //nolint:errcheck // the answers say how requests went
	}
	if !l.all.Go(mind) {
		mind()
		return nil, errClosed
	}
	return ch, nil
}

// Done implements [Transport]. This machine is always there.
func (l *Local) Done() <-chan struct{} { return l.done }

// Err implements [Transport].
func (l *Local) Err() error { return nil }

// Close implements [Transport]. It waits for requests that are being carried
// out.
func (l *Local) Close() error {
	l.once.Do(func() { close(l.done) })
	l.all.Close()
	return nil
}

type localChannel struct {
	ended  chan struct{}
	in     io.WriteCloser
	out    io.ReadCloser
	stderr Tail
	once   sync.Once
}

func (c *localChannel) Read(p []byte) (int, error)  { return c.out.Read(p) }
func (c *localChannel) Write(p []byte) (int, error) { return c.in.Write(p) }
func (c *localChannel) CloseWrite() error           { return c.in.Close() }
func (c *localChannel) Stderr() string              { return c.stderr.String() }

// Close ends the input; what the sh still does it does to the end.
func (c *localChannel) Close() error {
	c.once.Do(func() {
		c.in.Close()
		c.out.Close()
		close(c.ended)
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
