//go:build unix

package sshtest

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/crypto/ssh"
)

// Manner is the server whose behavior is imitated.
type Manner string

// Values of Manner.
const (
	// OpenSSH gives each command a session of its own and keeps the channel open while any process
	// holds its output.
	OpenSSH Manner = "openssh"
	// Dropbear runs all commands in one process group and closes the channel as soon as the command
	// has ended.
	Dropbear Manner = "dropbear"
)

// Server is an SSH server in this process. Set its fields before the first connection. The methods
// may be called at any time.
type Server struct {
	Manner      Manner
	Shell       string   // the login shell; empty: sh
	Env         []string // environment of commands; nil: that of this process
	MaxSessions int      // 0: no limit
	Auth        func(*ssh.ServerConfig)
	HostKeys    []ssh.Signer

	Addr string

	// noData is the XDG_DATA_HOME of commands unless Env has one. It does not exist: the account that runs the tests
	// may have hob-holder in its own.
	noData string

	ln    net.Listener
	wg    sync.WaitGroup
	mu    sync.Mutex
	conns map[*cutConn]struct{}
	down  bool
	limit atomic.Int64 // bytes after which new connections are cut; 0: never
	count atomic.Int64 // connections so far
	sent  atomic.Int64 // bytes sent to clients
	stall atomic.Bool
}

// NewServer starts a server that ends with the test. configure may be nil.
func NewServer(t testing.TB, configure func(*Server)) *Server {
	t.Helper()
	s := &Server{Manner: OpenSSH, conns: map[*cutConn]struct{}{}, HostKeys: []ssh.Signer{NewKey(t)}, noData: filepath.Join(t.TempDir(), "none")}
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

// Connections returns the number of connections so far.
func (s *Server) Connections() int { return int(s.count.Load()) }

// Sent returns the number of bytes sent to clients, over all connections.
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

// SetDown cuts all connections and refuses new ones if down is true, and accepts new ones
// otherwise.
func (s *Server) SetDown(down bool) {
	s.mu.Lock()
	s.down = down
	s.mu.Unlock()
	if down {
		s.Cut()
	}
}

// CutAfter resets each later connection after n bytes in both directions together; 0: never.
func (s *Server) CutAfter(n int64) { s.limit.Store(n) }

// Stall makes the server keep connections but neither read nor write, as if all packets were lost.
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

// forward connects the channel of a jump host to its target.
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
	out, err := net.Dial("tcp", net.JoinHostPort(to.Host, strconv.FormatUint(uint64(to.Port), 10)))
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
	env := s.Env
	if env == nil {
		env = os.Environ()
	}
	cmd.Env = slices.Concat([]string{"XDG_DATA_HOME=" + s.noData}, env)
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
	err = cmd.Wait() // closes the pipes, which ends the copies
	outputs.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	return 0
}

// cutConn is a connection that can be reset, at once or after a number of bytes.
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

// room returns how many of n bytes may pass. If none may, it resets the connection.
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

// ClientOf returns a client configuration in which s is the host name.
func ClientOf(t testing.TB, name string, s *Server) *Client {
	t.Helper()
	c := NewClient(t)
	c.AddHost(t, name, s.Addr)
	c.Know(t, "", s.Addr, s.HostKeys[0].PublicKey())
	return c
}
