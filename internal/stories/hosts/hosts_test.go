//go:build unix

package hosts_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/storytest"
	"github.com/hobjobs/hob/internal/testtool"
)

func TestMain(m *testing.M) { storytest.Main(m) }

// TestHostScripts runs the stories in testdata/hosts, each with its own OpenSSH server on this
// machine. The client is configured for the hosts box, stranger (its key is not in known_hosts),
// locked (the client's key has the passphrase "sesame") and down (nothing listens). In addition,
// servers in this process are guarded (password "pa ss") and quiz (asks for that password and for
// the answer 42), and mute accepts connections and says nothing.
func TestHostScripts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short")
	}
	runHostScripts(t, "")
}

// TestHostScriptsWithHolder runs the same stories with hob-holder on the host; the condition holder is true
// in them, and $HOLDER is its file.
func TestHostScriptsWithHolder(t *testing.T) {
	t.Parallel()
	runHostScripts(t, sshtest.BuildHolder(t))
}

// runHostScripts runs the stories with that hob-holder on the host; empty: with none.
func runHostScripts(t *testing.T, holder string) {
	t.Helper()
	testtool.Need(t, "sshd", "ssh", "setsid")
	prompting := promptingServers(t)
	storytest.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "hosts"),
		Setup: func(env *testscript.Env) error {
			if err := installHolder(env.WorkDir, holder); err != nil {
				return err
			}
			env.Setenv("HOLDER", holder)
			return setupHosts(env, prompting)
		},
		Condition: func(name string) (bool, error) {
			if name != "holder" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return holder != "", nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"server": cmdServer},
	})
}

// installHolder puts holder where hob hosts install would put it, in the server's home directory.
func installHolder(home, holder string) error {
	if holder == "" {
		return nil
	}
	dir := filepath.Join(home, ".local", "share", "hob", "test")
	return errors.Join(os.MkdirAll(dir, 0o700), os.Link(holder, filepath.Join(dir, "hob-holder")))
}

// promptingServers returns servers that ask for a password and for answers.
func promptingServers(t *testing.T) map[string]*sshtest.Server {
	no := errors.New("no")
	state := testtool.TempDir(t)
	serve := func(auth func(*ssh.ServerConfig)) *sshtest.Server {
		return sshtest.NewServer(t, func(s *sshtest.Server) { s.Env, s.Auth = append(os.Environ(), "HOB_STATE_DIR="+state), auth })
	}
	return map[string]*sshtest.Server{
		"guarded": serve(func(c *ssh.ServerConfig) {
			c.PasswordCallback = func(_ ssh.ConnMetadata, p []byte) (*ssh.Permissions, error) {
				if string(p) != "pa ss" {
					return nil, no
				}
				return nil, nil
			}
		}),
		"quiz": serve(func(c *ssh.ServerConfig) {
			c.KeyboardInteractiveCallback = func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
				a, err := ask("", "Two questions.", []string{"Password: ", "The answer: "}, []bool{false, true})
				if err != nil || len(a) != 2 || a[0] != "pa ss" || a[1] != "42" {
					return nil, no
				}
				return nil, nil
			}
		}),
	}
}

type serverKey struct{}

// server is the OpenSSH server of a script.
type server struct {
	path, config, addr string
	cmd                *exec.Cmd     // nil: not running
	ended              chan struct{} // closed when cmd has ended
}

// setupHosts starts an OpenSSH server and prepares a home whose ssh configuration points to it.
func setupHosts(env *testscript.Env, prompting map[string]*sshtest.Server) error {
	s, err := newServer(env)
	if err != nil {
		return err
	}
	env.Values[serverKey{}] = s
	env.Defer(s.stop) // runs after the deferred functions of storytest.Setup, which need the server to end jobs
	if err := storytest.Setup(env); err != nil {
		return err
	}
	if err := s.writeClientConfig(env, prompting); err != nil {
		return err
	}
	return s.start()
}

func newServer(env *testscript.Env) (*server, error) {
	path, err := exec.LookPath("sshd")
	if err != nil {
		return nil, err
	}
	// sshd requires this directory for privilege separation.
	if os.Geteuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			return nil, err
		}
	}
	addr, err := testtool.FindAddr()
	if err != nil {
		return nil, err
	}
	s := &server{path: path, addr: addr, config: filepath.Join(env.WorkDir, "sshd_config")}
	_, port, _ := net.SplitHostPort(s.addr)
	lines := []string{
		"Port " + port, "ListenAddress 127.0.0.1", "HostKey " + filepath.Join(env.WorkDir, "host"),
		"AuthorizedKeysFile " + filepath.Join(env.WorkDir, "authorized"), "UsePAM no", "StrictModes no", "PidFile none",
		"PermitRootLogin yes", "PasswordAuthentication no", "KbdInteractiveAuthentication no",
		sshtest.SetEnv(env.WorkDir, "HOB_STATE_DIR="+filepath.Join(env.WorkDir, "there")),
	}
	return s, os.WriteFile(s.config, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}

// writeClientConfig writes the client's keys and configuration. ssh ignores $HOME and reads the
// configuration in the account's home directory, so a wrapper passes it this one.
func (s *server) writeClientConfig(env *testscript.Env, prompting map[string]*sshtest.Server) error {
	home := filepath.Join(env.WorkDir, "home")
	dir, bin := filepath.Join(home, ".ssh"), filepath.Join(env.WorkDir, "bin")
	for _, d := range []string{dir, bin} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return err
		}
	}
	sshPath, err := exec.LookPath("ssh")
	if err != nil {
		return err
	}
	hostKey, err1 := sshtest.MakeKeyFile(filepath.Join(env.WorkDir, "host"), "")
	plain, err2 := sshtest.MakeKeyFile(filepath.Join(dir, "open"), "")
	locked, err3 := sshtest.MakeKeyFile(filepath.Join(dir, "locked"), "sesame")
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	_, port, _ := net.SplitHostPort(s.addr)
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	env.Defer(func() { mute.Close() })
	_, mutePort, _ := net.SplitHostPort(mute.Addr().String())
	config := fmt.Sprintf(`Host down
  Port 1
Host mute
  Port %[3]s
Host stranger
  UserKnownHostsFile %[1]s/strangers
Host locked
  IdentityFile %[1]s/locked
Host *
  HostName 127.0.0.1
  Port %[2]s
  IdentityFile %[1]s/open
  IdentitiesOnly yes
  IdentityAgent none
  ControlPath none
  ConnectTimeout 60
  UserKnownHostsFile %[1]s/known_hosts
  GlobalKnownHostsFile /dev/null
`, dir, port, mutePort)
	known := knownhosts.Line([]string{s.addr}, hostKey) + "\n"
	for name, a := range prompting {
		host, port, _ := net.SplitHostPort(a.Addr)
		config = fmt.Sprintf("Host %s\n  HostName %s\n  Port %s\n  User ann\n", name, host, port) + config
		known += knownhosts.Line([]string{a.Addr}, a.HostKeys[0].PublicKey()) + "\n"
	}
	for file, text := range map[string]string{
		filepath.Join(env.WorkDir, "authorized"): string(ssh.MarshalAuthorizedKey(plain)) + string(ssh.MarshalAuthorizedKey(locked)),
		filepath.Join(dir, "config"):             config,
		filepath.Join(dir, "known_hosts"):        known,
		filepath.Join(bin, "ssh"):                fmt.Sprintf("#!/bin/sh\nexec %s -F %s \"$@\"\n", sshPath, filepath.Join(dir, "config")),
	} {
		if err := testtool.WriteProgram(file, text); err != nil {
			return err
		}
	}
	if err := os.Chmod(filepath.Join(dir, "config"), 0o600); err != nil {
		return err
	}
	env.Setenv("PATH", bin+string(filepath.ListSeparator)+env.Getenv("PATH"))
	return nil
}

// start runs the server and waits until it listens.
func (s *server) start() error {
	s.cmd, s.ended = exec.Command(s.path, "-D", "-e", "-f", s.config), make(chan struct{})
	var stderr strings.Builder
	s.cmd.Stderr = &stderr
	if err := s.cmd.Start(); err != nil {
		return err
	}
	go func() { // ends with the server
		_ = s.cmd.Wait()
		close(s.ended)
	}()
	for late := time.After(storytest.Patience); ; {
		if c, err := net.Dial("tcp", s.addr); err == nil {
			return c.Close()
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-s.ended:
			return fmt.Errorf("sshd ended: %s", stderr.String())
		case <-late:
			return errors.New("sshd does not listen")
		}
	}
}

// stop ends the server and its connections, which are processes that would outlive it.
func (s *server) stop() {
	if s.cmd == nil {
		return
	}
	family, _ := new(proc.Scanner).Descendants(s.cmd.Process.Pid, 0) // on systems where this fails, connections stay open
	for _, p := range family {
		if p.PPID == s.cmd.Process.Pid {
			_ = syscall.Kill(p.PID, syscall.SIGKILL) // it may have ended
		}
	}
	_ = s.cmd.Process.Kill() // it may have ended
	<-s.ended
	s.cmd = nil
}

// cmdServer stops the script's server, or starts it again.
func cmdServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: server stop|start")
	}
	s := ts.Value(serverKey{}).(*server)
	switch args[0] {
	case "stop":
		s.stop()
	case "start":
		ts.Check(s.start())
	default:
		ts.Fatalf("unknown server command %q", args[0])
	}
}
