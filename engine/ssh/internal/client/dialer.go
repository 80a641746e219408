package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hobjobs/hob/engine/ssh/internal/hostconf"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
)

// Dialer connects to hosts. It is safe for concurrent use; the zero value behaves like ssh.
type Dialer struct {
	// ConfigFile is read instead of the user's and the system's configuration.
	ConfigFile string
	// SSH is the ssh program that is asked for the configuration; see
	// [hostconf.Resolver].
	SSH string
	// Settings returns what is different for a host; nil: nothing.
	Settings func(host string) Settings

	mu           sync.Mutex
	keys         map[string]ssh.Signer   // decrypted, by file
	unresponsive map[string]unresponsive // masters, by their sockets
}

// Settings are those of one host that are not ssh's.
type Settings struct {
	// Transport is native (never the ssh program), openssh (always that), or any other value:
	// whatever the configuration needs.
	Transport string
	// ConnectTimeout bounds an attempt to connect, up to the first answer; 0: the configuration's
	// value.
	ConnectTimeout time.Duration
}

// The transports of [Settings].
const (
	Native  = "native"
	OpenSSH = "openssh"
)

func (d *Dialer) settings(host string) Settings {
	if d.Settings == nil {
		return Settings{}
	}
	return d.Settings(host)
}

const maxJumps = 8

// Resolve returns how host would be reached.
func (d *Dialer) Resolve(ctx context.Context, host string) (*hostconf.Config, error) {
	c, err := hostconf.Resolver{File: d.ConfigFile, SSH: d.SSH}.Resolve(ctx, host)
	if err != nil {
		return nil, &Error{
			Step:  "config",
			Err:   err,
			Final: ctx.Err() == nil,
			Hint:  "ssh -G '" + host + "' shows how ssh understands it",
		}
	}
	return c, nil
}

// Dial connects to host and authenticates, within the limit that ctx or else the host's configuration
// has; see [Limit]. The errors are *[Error] and those of ctx.
func (d *Dialer) Dial(ctx context.Context, host string, p Prompts) (shell.Transport, error) {
	if limitOf(ctx) == nil {
		var cancel context.CancelFunc
		ctx, cancel = Limit(ctx, ConnectLimit)
		defer cancel()
	}
	l := limitOf(ctx)
	t, err := d.dial(ctx, host, asker{p.within(l), host}, nil, 0)
	l.loggedIn()
	if err != nil {
		if ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) {
			return nil, ctx.Err()
		}
		return nil, err
	}
	return t, nil
}

// dial connects through the hop via, which the transport closes with itself; nil: through the hops
// that are configured.
func (d *Dialer) dial(ctx context.Context, host string, p asker, via *Transport, depth int) (*Transport, error) {
	if depth > maxJumps {
		return nil, &Error{Step: "config", Err: errors.New("the jump hosts form a loop"), Final: true}
	}
	began := time.Now()
	c, err := d.Resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	set := d.settings(host)
	c.Timeout = cmp.Or(max(0, set.ConnectTimeout), max(0, c.Timeout), ConnectLimit)
	if depth == 0 { // the way through all hops is one attempt
		limitOf(ctx).set(c.Timeout - time.Since(began))
	}
	if set.Transport != Native && via == nil {
		if t := d.attach(c); t != nil {
			return t, nil
		}
		why := d.needs(ctx, c)
		if set.Transport == OpenSSH {
			why = append(why, "it is configured")
		}
		if len(why) > 0 {
			return persist(p, func(p asker) (*Transport, error) { return d.master(ctx, host, c, p, why) })
		}
	}
	var jumped *Transport
	if via == nil && c.ProxyCommand == "" {
		if jumped, err = d.jump(ctx, c, p, depth); err != nil {
			return nil, err
		}
		via = jumped
	}
	t, err := persist(p, func(p asker) (*Transport, error) { return d.reach(ctx, c, p, via) })
	if err != nil && jumped != nil {
		jumped.Close()
	}
	return t, err
}

// reach connects and authenticates.
func (d *Dialer) reach(ctx context.Context, c *hostconf.Config, p asker, via *Transport) (*Transport, error) {
	line, err := d.connect(ctx, c, via)
	if err != nil && isLate(ctx) {
		return nil, late("connect", "connect to %s", c.Address())
	}
	if err != nil {
		return nil, connectError(c, err)
	}
	t, err := d.handshake(ctx, c, line, p)
	if err != nil {
		line.Close()
		return nil, err
	}
	t.via = via
	return t, nil
}

// needs returns the parts of the configuration, of the host or of a hop, that require the ssh
// program. Without ssh they are handled as well as possible.
func (d *Dialer) needs(ctx context.Context, c *hostconf.Config) []string {
	if _, err := d.program(); err != nil {
		return nil
	}
	why := c.Needs
	for _, hop := range c.ProxyJump {
		if h, err := d.Resolve(ctx, hostconf.Jump(hop)); err == nil {
			why = append(why, h.Needs...)
		}
	}
	if file := securityKey(ctx, c); file != "" {
		why = append(why, "the security key "+file)
	}
	return why
}

// connect opens a byte stream to the host: a channel of the hop before it, a command, or TCP.
func (d *Dialer) connect(ctx context.Context, c *hostconf.Config, via *Transport) (net.Conn, error) {
	switch {
	case via != nil:
		return via.client.DialContext(ctx, "tcp", c.Address())
	case c.ProxyCommand != "":
		return proxy(c.ProxyCommand)
	}
	network := map[string]string{"inet": "tcp4", "inet6": "tcp6"}[c.AddressFamily]
	dialer := net.Dialer{Timeout: c.Timeout} // so that each of several addresses gets its part of the time
	return dialer.DialContext(ctx, cmp.Or(network, "tcp"), c.Address())
}

// jump connects to the hops of c in order and returns the last one, which reaches the host. It
// returns nil if c has no hops.
func (d *Dialer) jump(ctx context.Context, c *hostconf.Config, p asker, depth int) (*Transport, error) {
	var last *Transport
	for _, hop := range c.ProxyJump {
		t, err := d.dial(ctx, hostconf.Jump(hop), p, last, depth+1)
		if e, ok := errors.AsType[*Error](err); ok {
			err = &Error{
				Step:  e.Step,
				Err:   fmt.Errorf("jump host %s: %w", hop, e.Err),
				Final: e.Final,
				Hint:  e.Hint,
			}
		}
		if err != nil {
			if last != nil {
				last.Close()
			}
			return nil, err
		}
		last = t
	}
	return last, nil
}

func connectError(c *hostconf.Config, err error) error {
	e := &Error{Step: "connect", Err: fmt.Errorf("connect to %s: %w", c.Address(), plain(err))}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		whose := "its address"
		if c.HostName != c.Alias { // callers name the alias
			whose = "the address of " + c.HostName
		}
		e.Step, e.Err = "resolve", fmt.Errorf("cannot find %s: %s", whose, dns.Err)
		if host, port, ok := strings.Cut(c.HostName, ":"); ok && host != "" && port != "" { // ssh also treats this as a name
			e.Hint = "to give a port, use ssh://" + c.User + "@" + c.HostName
		}
	}
	return e
}

// plain returns the cause of a network error without the addresses.
func plain(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Err != nil {
		if sys, ok := errors.AsType[*os.SyscallError](op.Err); ok {
			return sys.Err
		}
		return op.Err
	}
	return err
}

// handshake authenticates both sides over line, which it does not close.
func (d *Dialer) handshake(ctx context.Context, c *hostconf.Config, line net.Conn, p asker) (*Transport, error) {
	counted := newCounted(line)
	stop := context.AfterFunc(ctx, func() { line.Close() })
	defer stop()
	keys, err := newHostKeys(c)
	if err != nil {
		return nil, &Error{Step: "host key", Err: err, Final: true}
	}
	auth := newAuth(ctx, d, c, p)
	auth.line = counted
	defer auth.close()
	keys.ask = func(k HostKey) (bool, error) {
		if p.HostKey == nil {
			return false, nil
		}
		return p.HostKey(ctx, p.host, k)
	}
	cfg := &ssh.ClientConfig{
		User:              c.User,
		Auth:              auth.methods(),
		AuthCallback:      auth.next,
		HostKeyAlgorithms: keys.algorithms(),
		ClientVersion:     "SSH-2.0-hob",
		HostKeyCallback: func(host string, remote net.Addr, key ssh.PublicKey) error {
			err := keys.check(key)
			auth.begun = err == nil
			return err
		},
	}
	safe, old := ssh.SupportedAlgorithms(), ssh.InsecureAlgorithms()
	cfg.Ciphers = known(c.Ciphers, safe.Ciphers, old.Ciphers)
	cfg.KeyExchanges = known(c.KeyExchanges, safe.KeyExchanges, old.KeyExchanges)
	cfg.MACs = known(c.MACs, safe.MACs, old.MACs)
	conn, chans, reqs, err := ssh.NewClientConn(counted, c.KeyAddress(), cfg)
	if err != nil {
		return nil, d.refused(ctx, c, keys, auth, line, err)
	}
	return newTransport(&Transport{client: ssh.NewClient(conn, chans, reqs), conn: counted, Config: c}), nil
}

// hungUp reports whether the other side ended a connection, without a message from a proxy command.
func hungUp(err error) bool {
	ends := []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE}
	return slices.ContainsFunc(ends, func(end error) bool { return errors.Is(err, end) })
}

// isDenial reports whether the server, or x/crypto/ssh, has given up the authentication.
func isDenial(err error) bool {
	return strings.Contains(err.Error(), "unable to authenticate") || strings.Contains(err.Error(), "authentication failures")
}

// refused returns why a handshake failed.
func (d *Dialer) refused(ctx context.Context, c *hostconf.Config, keys *hostKeys, auth *auth, line net.Conn, err error) error {
	closed := hungUp(err)
	if pr, ok := line.(*proxyConn); ok {
		pr.Close() // its last output is complete then
		if output := strings.TrimSpace(pr.stderr.String()); output != "" {
			err = fmt.Errorf("%v (output of the proxy command: %s)", err, output) //nolint:errorlint // the output has the reason
		}
	}
	switch {
	case isLate(ctx) && auth.begun:
		return late("authenticate", "log in as %s", c.User)
	case isLate(ctx):
		return late("connect", "talk to %s", c.Address())
	case ctx.Err() != nil:
		return ctx.Err()
	case keys.err != nil:
		return keys.err
	case auth.begun && (auth.err != nil || isDenial(err)):
		return auth.refused(err)
	}
	text := strings.TrimPrefix(err.Error(), "ssh: handshake failed: ")
	e := &Error{
		Step:   "connect",
		Err:    fmt.Errorf("talk to %s: %s", c.Address(), strings.TrimPrefix(text, "ssh: ")),
		closed: closed,
	}
	switch {
	case !hungUp(err): // or the proxy command reported why
	case !keys.shown:
		e.Err = fmt.Errorf("connect to %s: the host closed the connection before it sent its key", c.Address())
		e.Hint = "it may limit concurrent logins (MaxStartups), or refuse this client"
	default:
		e.Err = fmt.Errorf("log in as %s: the host closed the connection", c.User)
		e.Hint = "its log has the reason; it may limit the time for a login (LoginGraceTime)"
	}
	return e
}

const outputGrace = 300 * time.Millisecond

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
		kill := time.AfterFunc(outputGrace, func() { c.cmd.Process.Kill() }) //nolint:errcheck // it may have ended
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
