package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine/ssh/internal/shell"
)

// Container is a transport into a container: each channel is one run of the
// program that enters it.
type Container struct {
	argv []string
	done chan struct{}
	once sync.Once
	err  error // set before done is closed
	all  shell.Group
}

var _ shell.Transport = (*Container)(nil)

// Enter reaches the container that host names: docker:NAME, podman:NAME, or
// kubectl:[NAMESPACE/]POD[/CONTAINER]. ok is false for every other host. Nothing
// is run yet.
func Enter(host string) (c *Container, ok bool, err error) {
	program, name, found := strings.Cut(host, ":")
	if !found || program != "docker" && program != "podman" && program != "kubectl" {
		return nil, false, nil
	}
	parts := strings.Split(name, "/")
	for _, p := range parts {
		if !containerName(p) {
			return nil, true, &Error{Step: "config", Err: fmt.Errorf("%q is no name of a container", name), Final: true}
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
		return nil, true, &Error{Step: "config", Err: fmt.Errorf("%q is no name of a container", name), Final: true}
	}
	return &Container{argv: append(argv, "sh"), done: make(chan struct{})}, true, nil
}

func containerName(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && (i == 0 || !strings.ContainsRune("_.-", r)) {
			return false
		}
	}
	return s != ""
}

// String is the command that enters the container.
func (c *Container) String() string { return strings.Join(c.argv, " ") }

// Open implements [shell.Transport].
func (c *Container) Open(context.Context) (shell.Channel, error) {
	select {
	case <-c.done:
		return nil, errClosed
	default:
	}
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	cmd.WaitDelay = lastWords
	ownSession(cmd)
	ch := &containerChannel{c: c, cmd: cmd, ended: make(chan struct{}), gone: make(chan struct{})}
	var err error
	if ch.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if ch.out, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	cmd.Stderr = &ch.stderr
	if err := cmd.Start(); err != nil {
		return nil, &Error{Step: "connect", Err: err, Final: errors.Is(err, exec.ErrNotFound)}
	}
	mind := func() {
		select {
		case <-ch.ended:
		case <-c.done:
			ch.Close()
		}
		cmd.Wait() //nolint:errcheck // the answers say how requests went
		close(ch.gone)
	}
	if !c.all.Go(mind) {
		mind()
		return nil, errClosed
	}
	return ch, nil
}

// Done implements [shell.Transport]. That the container is gone shows when a
// channel ends that nobody has closed.
func (c *Container) Done() <-chan struct{} { return c.done }

// Err implements [shell.Transport].
func (c *Container) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}

func (c *Container) fail(err error) {
	c.once.Do(func() {
		c.err = err
		close(c.done)
	})
}

// Close implements [shell.Transport].
func (c *Container) Close() error {
	c.fail(errClosed)
	c.all.Close()
	return nil
}

type containerChannel struct {
	c      *Container
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	stderr shell.Tail
	ended  chan struct{} // closed by Close
	gone   chan struct{} // closed when the program has ended and said all
	once   sync.Once
}

func (c *containerChannel) Read(p []byte) (int, error) {
	n, err := c.out.Read(p)
	if err != nil {
		select {
		case <-c.ended:
		default:
			c.c.fail(fmt.Errorf("%s ended", c.c.argv[0]))
		}
	}
	return n, err
}

func (c *containerChannel) Write(p []byte) (int, error) { return c.in.Write(p) }
func (c *containerChannel) CloseWrite() error           { return c.in.Close() }

// Stderr waits a moment for the last words of a program that is ending.
func (c *containerChannel) Stderr() string {
	select {
	case <-c.ended:
		select {
		case <-c.gone:
		case <-time.After(2 * lastWords):
		}
	default:
	}
	return c.stderr.String()
}

// Close ends the input: the sh in the container goes once it has done what it was
// asked. A program that does not notice is ended.
func (c *containerChannel) Close() error {
	c.once.Do(func() {
		c.in.Close()
		time.AfterFunc(programEnd, func() { c.cmd.Process.Kill() }) //nolint:errcheck // it may have ended
		c.out.Close()
		close(c.ended)
	})
	return nil
}
