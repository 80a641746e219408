// Package client reaches a host as `ssh HOST` would: configuration, jumps and
// proxies, host keys, authentication; and keeps the connection alive.
package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hobjobs/hob/engine/ssh/internal/hostconf"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
)

const (
	aliveEvery = 15 * time.Second
	aliveMax   = 3
	// stderrLimit is how long to wait for a session's last output if a process that it left behind
	// holds it open.
	stderrLimit = 2 * time.Second
	// endLimit is how long to wait for the reason why a connection has ended.
	endLimit = time.Second
)

// Transport is a connection to a host. Safe for concurrent use.
type Transport struct {
	client *ssh.Client
	conn   *counted
	// Config is how the host was reached.
	Config *hostconf.Config
	// Attached reports that it is a connection of the user's own ssh.
	Attached bool
	// Why lists what the ssh program was needed for; nil: it is not used.
	Why []string
	via *Transport // the hop before, closed with this one; may be nil
	own *program   // the ssh program that serves it, ended with it; may be nil

	life context.Context // ends with the connection, for a cause
	end  context.CancelCauseFunc
	all  shell.Group
}

var _ shell.Transport = (*Transport)(nil)

// newTransport completes t, which has its connection, and watches the connection.
func newTransport(t *Transport) *Transport {
	t.life, t.end = context.WithCancelCause(context.Background())
	t.all.Go(func() {
		err := t.client.Wait()
		if t.own != nil {
			err = t.own.exitReason()
		}
		if err == nil || errors.Is(err, io.EOF) {
			err = errors.New("the host closed the connection")
		}
		t.fail(err)
	})
	if t.conn != nil {
		every, most := t.Config.Alive, t.Config.AliveMax
		if every <= 0 {
			every = aliveEvery
		}
		if most <= 0 {
			most = aliveMax
		}
		t.all.Go(func() { t.keepAlive(every, most) })
	}
	return t
}

// keepAlive sends the host a request if nothing was received from it for every, and closes the
// connection if it stays silent for most times as long.
func (t *Transport) keepAlive(every time.Duration, most int) {
	limit := every * time.Duration(max(2, most)) // it must have time to answer
	timer := time.NewTimer(every)
	defer timer.Stop()
	asked := false
	answer := make(chan struct{}, 1)
	for {
		select {
		case <-t.life.Done():
			return
		case <-answer:
			asked = false
			continue
		case <-timer.C:
		}
		silent := t.conn.silent()
		if silent >= limit {
			t.fail(fmt.Errorf("no response from the host for %s", silent.Round(time.Second)))
			return
		}
		if silent < every {
			timer.Reset(every - silent)
			continue
		}
		if !asked {
			asked = true
			t.all.Go(func() {
				t.client.SendRequest("keepalive@openssh.com", true, nil) //nolint:errcheck // any answer counts, its absence shows in silent
				answer <- struct{}{}
			})
		}
		timer.Reset(min(every, limit-silent))
	}
}

// fail ends the connection, unless it has ended.
func (t *Transport) fail(err error) {
	t.end(err)
	if t.conn != nil {
		t.conn.Close() // also when the other side answers no more
	}
	t.client.Close()
}

// Done implements [shell.Transport].
func (t *Transport) Done() <-chan struct{} { return t.life.Done() }

// Err implements [shell.Transport].
func (t *Transport) Err() error { return context.Cause(t.life) }

// Close implements [shell.Transport].
func (t *Transport) Close() error {
	t.fail(shell.ErrClosed)
	t.all.Close()
	if t.via != nil {
		t.via.Close()
	}
	if t.own != nil {
		t.own.end()
	}
	return nil
}

// Open implements [shell.Transport].
func (t *Transport) Open(ctx context.Context) (shell.Channel, error) {
	type opened struct {
		ch  *channel
		err error
	}
	result := make(chan opened, 1)
	if !t.all.Go(func() {
		ch, err := t.open()
		result <- opened{ch, err}
	}) {
		return nil, shell.ErrClosed
	}
	select {
	case r := <-result:
		if r.err != nil {
			return nil, r.err
		}
		return r.ch, nil
	case <-ctx.Done():
		drop := func() {
			if r := <-result; r.ch != nil {
				r.ch.Close()
			}
		}
		if !t.all.Go(drop) {
			drop() // at once: nothing can be opened any more
		}
		return nil, ctx.Err()
	}
}

func (t *Transport) open() (*channel, error) {
	c, requests, err := t.client.OpenChannel("session", nil)
	if err != nil {
		if _, ok := errors.AsType[*ssh.OpenChannelError](err); ok {
			return nil, fmt.Errorf("%w (%w)", shell.ErrNoSlot, err)
		}
		return nil, t.whyEnded(err)
	}
	// A reply would cost a round trip; the answers show whether the sh runs.
	if _, err := c.SendRequest("exec", false, ssh.Marshal(struct{ Command string }{shell.Command})); err != nil {
		c.Close()
		return nil, err
	}
	ch := &channel{Channel: c, gone: make(chan struct{})}
	// Both end with the channel, as that does with the connection.
	listen := func() {
		io.Copy(&ch.stderr, c.Stderr()) //nolint:errcheck // the answers say how requests went
		close(ch.gone)
	}
	if !t.all.Go(func() { ssh.DiscardRequests(requests) }) || !t.all.Go(listen) {
		c.Close()
		return nil, shell.ErrClosed
	}
	return ch, nil
}

// whyEnded returns why the connection has ended, which a request notices first: its error has terms of the
// protocol.
func (t *Transport) whyEnded(noticed error) error {
	select {
	case <-t.Done():
		return t.Err()
	case <-time.After(endLimit):
		return noticed
	}
}

// channel is a session of the connection. Closing it also ends the input: the sh exits after it has
// carried out its requests.
type channel struct {
	ssh.Channel
	stderr shell.Tail
	ended  atomic.Bool   // its output has
	gone   chan struct{} // closed when the program there has ended and its output is complete
}

func (c *channel) Read(p []byte) (int, error) {
	n, err := c.Channel.Read(p)
	if errors.Is(err, io.EOF) {
		c.ended.Store(true)
	}
	return n, err
}

// Stderr waits a moment for the last output of a program that is ending.
func (c *channel) Stderr() string {
	if c.ended.Load() {
		select {
		case <-c.gone:
		case <-time.After(stderrLimit):
		}
	}
	return c.stderr.String()
}

// counted is a connection that records when data was last received, and that it has ended.
type counted struct {
	net.Conn
	heard atomic.Int64
	ended atomic.Bool
}

func newCounted(c net.Conn) *counted {
	n := &counted{Conn: c}
	n.heard.Store(time.Now().UnixNano())
	return n
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.heard.Store(time.Now().UnixNano())
	}
	if err != nil {
		c.ended.Store(true)
	}
	return n, err
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if err != nil {
		c.ended.Store(true)
	}
	return n, err
}

func (c *counted) silent() time.Duration { return time.Since(time.Unix(0, c.heard.Load())) }

// Container is a transport into a container, which a program enters.
type Container struct {
	*shell.Program
	command string
}

// Enter reaches the container that host names: docker:NAME, podman:NAME, or
// kubectl:[NAMESPACE/]POD[/CONTAINER]. ok is false for every other host. Nothing
// is run yet.
func Enter(host string) (c *Container, ok bool, err error) {
	program, name, found := strings.Cut(host, ":")
	if known := []string{"docker", "podman", "kubectl"}; !found || !slices.Contains(known, program) {
		return nil, false, nil
	}
	parts := strings.Split(name, "/")
	for _, p := range parts {
		if !containerName(p) {
			return nil, true, &Error{
				Step:  "config",
				Err:   fmt.Errorf("%q is not a valid container name", name),
				Final: true,
			}
		}
	}
	argv := []string{program, "exec", "-i"}
	switch {
	case program == "kubectl" && len(parts) == 1:
		argv = append(argv, name, "--")
	case program == "kubectl" && len(parts) == 2:
		argv = append(argv, "-n", parts[0], parts[1], "--")
	case program == "kubectl" && len(parts) == 3:
		argv = append(argv, "-n", parts[0], "-c", parts[2], parts[1], "--")
	case len(parts) == 1:
		argv = append(argv, "--", name)
	default:
		return nil, true, &Error{
			Step:  "config",
			Err:   fmt.Errorf("%q is not a valid container name", name),
			Final: true,
		}
	}
	argv = append(argv, "sh")
	return &Container{shell.NewEntrance(argv), strings.Join(argv, " ")}, true, nil
}

func containerName(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	if s == "" || !strings.ContainsRune(letters, rune(s[0])) {
		return false
	}
	return strings.Trim(s, letters+"_.-") == ""
}

// String is the command that enters the container.
func (c *Container) String() string { return c.command }

// Open implements [shell.Transport].
func (c *Container) Open(ctx context.Context) (shell.Channel, error) {
	ch, err := c.Program.Open(ctx)
	if err != nil {
		err = &Error{Step: "connect", Err: err, Final: errors.Is(err, exec.ErrNotFound)}
	}
	return ch, err
}
