package client

import (
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine/ssh/internal/shell"
)

const lastWords = 300 * time.Millisecond

// proxyConn is the connection that a ProxyCommand makes. It does not support deadlines: a caller
// that waits closes it.
type proxyConn struct {
	in     io.WriteCloser
	out    io.ReadCloser
	cmd    *exec.Cmd
	stderr shell.Tail
	once   sync.Once
}

// proxy runs command by the user's shell, as ssh does.
func proxy(command string) (net.Conn, error) {
	var cmd *exec.Cmd
	if runtime.GOOS == "windows" {
		cmd = exec.Command("cmd", "/c", command)
	} else {
		sh := os.Getenv("SHELL")
		if sh == "" {
			sh = "/bin/sh"
		}
		cmd = exec.Command(sh, "-c", "exec "+command)
	}
	c := &proxyConn{cmd: cmd}
	var err error
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.out, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	cmd.Stderr = &c.stderr
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *proxyConn) Read(p []byte) (int, error)  { return c.out.Read(p) }
func (c *proxyConn) Write(p []byte) (int, error) { return c.in.Write(p) }

func (c *proxyConn) Close() error {
	c.once.Do(func() {
		c.in.Close()
		// It ends by itself when the other end is closed, and may still write a message.
		kill := time.AfterFunc(lastWords, func() { c.cmd.Process.Kill() }) //nolint:errcheck // it may have ended
		defer kill.Stop()
		c.out.Close()
		c.cmd.Wait() //nolint:errcheck // how it ended is of no interest
	})
	return nil
}

func (*proxyConn) LocalAddr() net.Addr              { return &net.TCPAddr{IP: net.IPv4zero} }
func (*proxyConn) RemoteAddr() net.Addr             { return &net.TCPAddr{IP: net.IPv4zero} }
func (*proxyConn) SetDeadline(time.Time) error      { return nil }
func (*proxyConn) SetReadDeadline(time.Time) error  { return nil }
func (*proxyConn) SetWriteDeadline(time.Time) error { return nil }
