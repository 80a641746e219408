package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hobjobs/hob/engine/ssh/internal/hostconf"
	"github.com/hobjobs/hob/engine/ssh/internal/shell"
)

// program is an ssh program that is the master of a connection of hob. It must end with hob, also if hob
// is killed. Therefore it runs under a sh that reads a pipe, whose other end hob keeps open; when the pipe
// closes, the sh ends the program. See endWithInput.
type program struct {
	dir    string // of its socket, ours alone
	cmd    *exec.Cmd
	hold   io.WriteCloser
	stderr shell.Tail
	ended  chan struct{}
	asks   *askpass // nil: prompts are not possible
}

// endWithInput runs its arguments and ends them when its input ends.
const endWithInput = `exec 3<&0 </dev/null
"$@" 3<&- & p=$!
(exec 2>/dev/null; cat <&3 >/dev/null; kill $p) & w=$!
exec 3<&-
wait $p; r=$?
kill $w 2>/dev/null
exit $r`

const (
	programLook = 10 * time.Millisecond // between looks for its socket
	programEnd  = 2 * time.Second
)

// program is where the ssh program is.
func (d *Dialer) program() (string, error) {
	if runtime.GOOS == "windows" {
		return "", errors.New("it has no control sockets on Windows")
	}
	name := d.SSH
	if name == "" {
		name = "ssh"
	}
	if name == "none" {
		return "", exec.ErrNotFound
	}
	return exec.LookPath(name)
}

// master connects with the ssh program, which supports everything in its configuration, and uses its
// control socket.
func (d *Dialer) master(ctx context.Context, host string, c *hostconf.Config, p asker, why []string) (*Transport, error) {
	path, err := d.program()
	if err != nil {
		return nil, &Error{
			Step:  "config",
			Err:   fmt.Errorf("the ssh program is needed (%s): %w", strings.Join(why, ", "), err),
			Final: true,
		}
	}
	m, err := d.run(ctx, path, host, c, p)
	if err != nil {
		return nil, &Error{Step: "connect", Err: fmt.Errorf("run %s: %w", path, err)}
	}
	t, err := m.wait(ctx, c)
	if err != nil {
		m.end()
		return nil, err
	}
	t.Why = why
	return t, nil
}

// run starts the program. Its options disable what is not needed here; every host key is checked.
func (d *Dialer) run(ctx context.Context, path, host string, c *hostconf.Config, p asker) (*program, error) {
	dir, err := os.MkdirTemp("", "hob-ssh")
	if err != nil {
		return nil, err
	}
	m := &program{dir: dir, ended: make(chan struct{})}
	options := []string{
		"ControlPersist=no", "ClearAllForwardings=yes", "PermitLocalCommand=no", "RemoteCommand=none", "RequestTTY=no",
		"LogLevel=ERROR",
	}
	options = append(options, "ConnectTimeout="+strconv.Itoa(int((c.Timeout+time.Second-1)/time.Second)))
	if c.Alive <= 0 {
		options = append(options, "ServerAliveInterval="+strconv.Itoa(int(aliveEvery/time.Second)))
	}
	if c.StrictKeys == "no" {
		options = append(options, "StrictHostKeyChecking=accept-new")
	}
	env := append(os.Environ(), "LC_ALL=C", "SSH_ASKPASS_REQUIRE=never")
	if p.none() || c.BatchMode {
		options = append(options, "BatchMode=yes")
	} else {
		if m.asks, err = newAskpass(ctx, dir, p); err != nil {
			os.RemoveAll(dir)
			return nil, err
		}
		env = append(env, "SSH_ASKPASS="+m.asks.script, "SSH_ASKPASS_REQUIRE=force", "DISPLAY=hob")
	}
	args := []string{"-c", endWithInput, "sh", path, "-M", "-N", "-T", "-S", m.socket()}
	if d.ConfigFile != "" {
		args = append(args, "-F", d.ConfigFile)
	}
	for _, o := range options {
		args = append(args, "-o", o)
	}
	m.cmd = exec.Command("sh", append(args, hostconf.Arguments(host)...)...)
	m.cmd.Env, m.cmd.Stderr = env, &m.stderr
	m.cmd.WaitDelay = outputGrace
	shell.OwnSession(m.cmd)
	if m.hold, err = m.cmd.StdinPipe(); err == nil {
		err = m.cmd.Start()
	}
	if err != nil {
		m.clean()
		return nil, err
	}
	go func() { // ends with the program, for which end waits
		m.cmd.Wait() //nolint:errcheck // what it printed says more
		close(m.ended)
	}()
	return m, nil
}

func (m *program) socket() string { return filepath.Join(m.dir, "s") }

// wait waits until the program is connected, and connects to it.
func (m *program) wait(ctx context.Context, c *hostconf.Config) (*Transport, error) {
	tick := time.NewTicker(programLook)
	defer tick.Stop()
	for {
		if _, err := os.Stat(m.socket()); err == nil {
			if t := attachTo(c, m.socket(), m); t != nil {
				return t, nil
			}
		}
		select {
		case <-tick.C:
		case <-m.ended:
			return nil, m.refused()
		case <-ctx.Done():
			if isLate(ctx) {
				return nil, late("connect", "connect to %s with the ssh program", c.Address())
			}
			return nil, ctx.Err()
		}
	}
}

// refused returns why it ended without a connection.
func (m *program) refused() error {
	said := strings.TrimSpace(strings.ReplaceAll(m.stderr.String(), "\r", ""))
	e := &Error{Step: "connect", Err: errors.New(lastLine(said)), Hint: "check whether ssh itself works"}
	switch {
	case strings.Contains(said, "HOST IDENTIFICATION HAS CHANGED"):
		e.Step, e.Final, e.Err = "host key", true, errors.New("the host's key has changed")
		if _, at, ok := strings.Cut(said, " key in "); ok {
			at, _, _ = strings.Cut(at, "\n")
			e.Err = fmt.Errorf("the host's key has changed: it differs from the one in %s", at)
		}
	case strings.Contains(said, "revoked"):
		e.Step, e.Final, e.Err = "host key", true, errors.New("the host's key is revoked")
	case strings.Contains(said, "Host key verification failed"):
		e.Step, e.Final, e.Err = "host key", true, errors.New("the host is unknown, or its key was not accepted")
		e.Hint = "connect to it once with ssh"
	case strings.Contains(said, "Permission denied"), strings.Contains(said, "Too many authentication failures"):
		e.Step, e.Final = "authenticate", true
		e.exhausted = strings.Contains(said, "Too many")
	case strings.Contains(said, "Could not resolve"):
		e.Step = "resolve"
	case said == "": // at the level of its log that is used here it does not report this
		e.Err, e.closed = errors.New("the connection was closed during the login"), true
	case strings.Contains(said, "Connection reset by"), strings.Contains(said, "Broken pipe"):
		e.closed = true
	}
	if err := m.asks.refusal(); err != nil {
		e.Err, e.Final = fmt.Errorf("log in: %w", err), true
	}
	return e
}

func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

// exitReason is why the connection ended.
func (m *program) exitReason() error {
	select {
	case <-m.ended:
	case <-time.After(outputGrace):
	}
	if said := lastLine(strings.TrimSpace(strings.ReplaceAll(m.stderr.String(), "\r", ""))); said != "" {
		return errors.New(said)
	}
	return errors.New("ssh ended the connection")
}

// end ends the program and removes what it had.
func (m *program) end() {
	m.hold.Close()
	kill := time.AfterFunc(programEnd, func() { m.cmd.Process.Kill() }) //nolint:errcheck // it may have ended
	<-m.ended
	kill.Stop()
	m.clean()
}

func (m *program) clean() {
	m.asks.close()
	os.RemoveAll(m.dir)
}

// securityKey returns the file of an identity in hardware, which only the ssh program can use unless
// the agent has it; empty if the configuration has none.
func securityKey(ctx context.Context, c *hostconf.Config) string {
	for _, file := range c.IdentityFiles {
		pub := publicKey(file)
		if pub == nil || !strings.HasPrefix(pub.Type(), "sk-") || inAgent(ctx, c, pub) {
			continue
		}
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return ""
}

const (
	attachLimit = 2 * time.Second
	// hangsFor is how long a master that did not answer is not used.
	hangsFor = 5 * time.Minute
)

// unresponsive is a master that did not answer, by its socket.
type unresponsive struct {
	socket os.FileInfo
	at     time.Time
}

// attach uses the user's own connection to the host (ControlMaster), if it is alive. It never closes
// the connection, and sends no request about the connection itself: the master would drop us. It
// returns nil if no master answers.
func (d *Dialer) attach(c *hostconf.Config) *Transport {
	if c.ControlPath == "" {
		return nil
	}
	fi, err := os.Stat(c.ControlPath)
	if err != nil || fi.Mode().Type() != os.ModeSocket || d.isUnresponsive(c.ControlPath, fi) {
		return nil
	}
	began := time.Now()
	t := attachTo(c, c.ControlPath, nil)
	if t == nil && time.Since(began) >= attachLimit {
		d.markUnresponsive(c.ControlPath)
	}
	return t
}

// isUnresponsive reports whether the master behind a socket did not answer lately. A new socket in its
// place is tried.
func (d *Dialer) isUnresponsive(socket string, fi os.FileInfo) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	h, ok := d.unresponsive[socket]
	if !ok || time.Since(h.at) >= hangsFor {
		return false
	}
	return os.SameFile(h.socket, fi) && h.socket.ModTime().Equal(fi.ModTime())
}

func (d *Dialer) markUnresponsive(socket string) {
	fi, err := os.Stat(socket)
	if err != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.unresponsive == nil {
		d.unresponsive = map[string]unresponsive{}
	}
	d.unresponsive[socket] = unresponsive{fi, time.Now()}
}

// MarkUnresponsive notes that t does not answer. If it is a connection of the user's it is
// not used again for a while.
func (d *Dialer) MarkUnresponsive(t shell.Transport) {
	if t, ok := t.(*Transport); ok && t.Attached {
		d.markUnresponsive(t.Config.ControlPath)
	}
}

// attachTo uses the master behind socket. own is that master if this program started it, else nil.
func attachTo(c *hostconf.Config, socket string, own *program) *Transport {
	// A crash leaves a socket without a listener: dialing it shows that.
	conn, err := (&net.Dialer{Timeout: attachLimit}).DialContext(context.Background(), "unix", socket)
	if err != nil {
		return nil
	}
	timer := time.AfterFunc(attachLimit, func() { conn.Close() })
	cc, chans, reqs, err := ssh.NewControlClientConn(conn)
	if !timer.Stop() || err != nil {
		conn.Close()
		return nil
	}
	return newTransport(&Transport{
		client:   ssh.NewClient(cc, chans, reqs),
		Config:   c,
		Attached: own == nil,
		own:      own,
	})
}
