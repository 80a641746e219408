//go:build unix

package sshtest

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/crypto/ssh"
)

// Manner is what servers differ in.
type Manner string

// The manners.
const (
	// OpenSSH gives each command a session of its own and keeps the channel open
	// while anybody holds its output.
	OpenSSH Manner = "openssh"
	// Dropbear keeps all commands in one process group and closes the channel as
	// soon as the command has ended.
	Dropbear Manner = "dropbear"
)

// Server is an SSH server in this process. Change its fields before the first
// connection; the methods may be called at any time.
type Server struct {
	Manner      Manner
	Shell       string   // the login shell; empty: sh
	Env         []string // of commands
	MaxSessions int      // 0: no limit
	Auth        func(*ssh.ServerConfig)
	HostKeys    []ssh.Signer

	Addr string

	t     testing.TB
	ln    net.Listener
	wg    sync.WaitGroup
	mu    sync.Mutex
	conns map[*cutConn]struct{}
	down  bool
	limit atomic.Int64 // bytes until the next connections are cut; 0: never
	count atomic.Int64 // connections ever
	sent  atomic.Int64 // bytes to clients
	stall atomic.Bool
}

// NewServer starts a server that ends with the test. configure may be nil.
func NewServer(t testing.TB, configure func(*Server)) *Server {
	t.Helper()
	s := &Server{Manner: OpenSSH, t: t, conns: map[*cutConn]struct{}{}, HostKeys: []ssh.Signer{NewKey(t)}}
	if configure != nil {
		configure(s)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.ln, s.Addr = ln, ln.Addr().String()
	s.wg.Go(s.accept)
	t.Cleanup(func() {
		ln.Close()
		s.Cut()
		s.wg.Wait()
	})
	return s
}

// Connections counts the connections there ever were.
func (s *Server) Connections() int { return int(s.count.Load()) }

// Sent is how many bytes clients were sent, over all connections.
func (s *Server) Sent() int64 { return s.sent.Load() }

// Cut resets all connections.
func (s *Server) Cut() {
	s.mu.Lock()
	conns := make([]*cutConn, 0, len(s.conns))
	for c := range s.conns {
		conns = append(conns, c)
	}
	s.mu.Unlock()
	for _, c := range conns {
		c.reset()
	}
}

// SetDown refuses new connections and cuts those that there are, or takes them
// again.
func (s *Server) SetDown(down bool) {
	s.mu.Lock()
	s.down = down
	s.mu.Unlock()
	if down {
		s.Cut()
	}
}

// CutAfter resets each later connection when n bytes went over it, both ways
// together; 0: never.
func (s *Server) CutAfter(n int64) { s.limit.Store(n) }

// Stall has the server keep connections but neither read nor write, as if all
// packets vanished.
func (s *Server) Stall(on bool) { s.stall.Store(on) }

func (s *Server) accept() {
	for {
		c, err := s.ln.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		cc := &cutConn{Conn: c, s: s, limit: s.limit.Load(), gone: make(chan struct{})}
		if s.down {
			s.mu.Unlock()
			cc.reset()
			continue
		}
		s.conns[cc] = struct{}{}
		s.mu.Unlock()
		s.count.Add(1)
		s.wg.Go(func() {
			s.serve(cc)
			s.mu.Lock()
			delete(s.conns, cc)
			s.mu.Unlock()
		})
	}
}

func (s *Server) serve(c *cutConn) {
	defer c.reset()
	cfg := &ssh.ServerConfig{NoClientAuth: s.Auth == nil, MaxAuthTries: 6}
	if s.Auth != nil {
		s.Auth(cfg)
	}
	for _, k := range s.HostKeys {
		cfg.AddHostKey(k)
	}
	conn, chans, reqs, err := ssh.NewServerConn(c, cfg)
	if err != nil {
		return
	}
	defer conn.Close()
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { ssh.DiscardRequests(reqs) })
	var open atomic.Int64
	for nc := range chans {
		switch nc.ChannelType() {
		case "session":
			if s.MaxSessions > 0 && open.Load() >= int64(s.MaxSessions) {
				nc.Reject(ssh.ConnectionFailed, "open failed")
				continue
			}
			ch, creqs, err := nc.Accept()
			if err != nil {
				continue
			}
			open.Add(1)
			wg.Go(func() {
				defer open.Add(-1)
				s.session(ch, creqs)
			})
		case "direct-tcpip":
			wg.Go(func() { forward(nc) })
		default:
			nc.Reject(ssh.UnknownChannelType, "no")
		}
	}
}

// forward is a jump's channel.
func forward(nc ssh.NewChannel) {
	var to struct {
		Host     string
		Port     uint32
		FromHost string
		FromPort uint32
	}
	if ssh.Unmarshal(nc.ExtraData(), &to) != nil {
		nc.Reject(ssh.ConnectionFailed, "bad request")
		return
	}
	out, err := net.Dial("tcp", net.JoinHostPort(to.Host, itoa(int(to.Port))))
	if err != nil {
		nc.Reject(ssh.ConnectionFailed, err.Error())
		return
	}
	defer out.Close()
	ch, reqs, err := nc.Accept()
	if err != nil {
		return
	}
	defer ch.Close()
	go ssh.DiscardRequests(reqs) // ends with the channel
	done := make(chan struct{}, 2)
	for _, pair := range [][2]io.ReadWriter{{out, ch}, {ch, out}} {
		go func() {
			io.Copy(pair[0], pair[1])
			done <- struct{}{}
		}()
	}
	<-done
}

func itoa(n int) string {
	var b [8]byte
	i := len(b)
	for {
		i--
		b[i] = byte('0' + n%10)
		if n /= 10; n == 0 {
			return string(b[i:])
		}
	}
}

func (s *Server) session(ch ssh.Channel, reqs <-chan *ssh.Request) {
	defer ch.Close()
	for r := range reqs {
		if r.Type != "exec" || len(r.Payload) < 4 {
			if r.WantReply {
				r.Reply(r.Type == "env", nil)
			}
			continue
		}
		n := binary.BigEndian.Uint32(r.Payload)
		command := string(r.Payload[4 : 4+n])
		r.Reply(true, nil)
		go ssh.DiscardRequests(reqs) // ends with the channel
		code := s.run(ch, command)
		ch.SendRequest("exit-status", false, binary.BigEndian.AppendUint32(nil, uint32(code)))
		return
	}
}

func (s *Server) run(ch ssh.Channel, command string) int {
	sh := s.Shell
	if sh == "" {
		sh = "sh"
	}
	cmd := exec.Command(sh, "-c", command)
	cmd.Env = s.Env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: s.Manner == OpenSSH}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 255
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 255
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return 255
	}
	if cmd.Start() != nil {
		return 255
	}
	go func() { // ends with the channel
		io.Copy(stdin, ch)
		stdin.Close()
	}()
	var outputs sync.WaitGroup
	outputs.Go(func() { io.Copy(ch, stdout) })
	outputs.Go(func() { io.Copy(ch.Stderr(), stderr) })
	if s.Manner == OpenSSH {
		outputs.Wait()
	}
	err = cmd.Wait() // closes our ends of the outputs
	outputs.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	return 0
}

// cutConn is a connection that can be reset, also after a number of bytes.
type cutConn struct {
	net.Conn
	s     *Server
	limit int64
	done  atomic.Int64
	once  sync.Once
	gone  chan struct{}
}

func (c *cutConn) reset() {
	c.once.Do(func() {
		close(c.gone)
		if tcp, ok := c.Conn.(*net.TCPConn); ok {
			tcp.SetLinger(0)
		}
		c.Conn.Close()
	})
}

// room is how many of n bytes may pass; with none left the connection is reset.
func (c *cutConn) room(n int) int {
	if c.s.stall.Load() {
		<-c.gone
	}
	if c.limit <= 0 {
		return n
	}
	left := c.limit - c.done.Load()
	if left <= 0 {
		c.reset()
		return 0
	}
	return int(min(left, int64(n)))
}

func (c *cutConn) Read(p []byte) (int, error) {
	n := c.room(len(p))
	if n == 0 {
		return 0, net.ErrClosed
	}
	n, err := c.Conn.Read(p[:n])
	if c.s.stall.Load() {
		<-c.gone
	}
	c.done.Add(int64(n))
	return n, err
}

func (c *cutConn) Write(p []byte) (int, error) {
	n := c.room(len(p))
	done, err := c.Conn.Write(p[:n])
	c.done.Add(int64(done))
	c.s.sent.Add(int64(done))
	if err == nil && n < len(p) {
		c.reset()
		err = net.ErrClosed
	}
	return done, err
}

// ClientOf is a configuration in which name leads to s.
func ClientOf(t testing.TB, name string, s *Server) *Client {
	t.Helper()
	c := NewClient(t)
	c.AddHost(t, name, s.Addr)
	c.Know(t, "", s.Addr, s.HostKeys[0].PublicKey())
	return c
}
