//go:build unix

package ssh

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

func rsaKey(t *testing.T) ssh.Signer {
	t.Helper()
	testtool.Need(t, "ssh-keygen")
	file := filepath.Join(t.TempDir(), "rsa")
	run(t, "ssh-keygen", "-q", "-t", "rsa", "-b", "2048", "-N", "", "-f", file)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ssh.ParsePrivateKey(data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// attention expects that host cannot be connected to until the user acts, for a reason that
// contains want.
func attention(t *testing.T, b *Backend, want string) *HostError {
	t.Helper()
	err := b.Connect(t.Context(), "box")
	he, ok := errors.AsType[*HostError](err)
	if !ok || !he.Attention || !errors.Is(err, engine.ErrUnreachable) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v (%+v), want attention and %q", err, he, want)
	}
	return he
}

func TestHostKeys(t *testing.T) {
	t.Parallel()
	other := sshtest.NewKey(t)
	authority := sshtest.NewKey(t)
	cases := []struct {
		name  string
		keys  func(t *testing.T) []ssh.Signer
		know  func(t *testing.T, c *sshtest.Client, s *sshtest.Server)
		extra []string
		want  string // in the error; empty: it connects
	}{
		{name: "known", know: func(t *testing.T, c *sshtest.Client, s *sshtest.Server) {
			c.Know(t, "", s.Addr, s.HostKeys[0].PublicKey())
		}},
		{name: "hashed", know: func(t *testing.T, c *sshtest.Client, s *sshtest.Server) {
			line := knownhosts.Line([]string{knownhosts.HashHostname(knownhosts.Normalize(s.Addr))}, s.HostKeys[0].PublicKey())
			sshtest.Write(t, c.KnownHosts, line+"\n")
		}},
		{name: "unknown", know: func(*testing.T, *sshtest.Client, *sshtest.Server) {}, want: "unknown"},
		{name: "known on another port only", know: func(t *testing.T, c *sshtest.Client, s *sshtest.Server) {
			c.Know(t, "", "127.0.0.1:22", s.HostKeys[0].PublicKey())
		}, want: "unknown"},
		{name: "changed", know: func(t *testing.T, c *sshtest.Client, s *sshtest.Server) {
			c.Know(t, "", s.Addr, other.PublicKey())
		}, want: "has changed"},
		{name: "changed, and new keys are accepted", extra: []string{"StrictHostKeyChecking accept-new"}, know: func(t *testing.T, c *sshtest.Client, s *sshtest.Server) {
			c.Know(t, "", s.Addr, other.PublicKey())
		}, want: "has changed"},
		{name: "changed, and checking is off", extra: []string{"StrictHostKeyChecking no"}, know: func(t *testing.T, c *sshtest.Client, s *sshtest.Server) {
			c.Know(t, "", s.Addr, other.PublicKey())
		}, want: "has changed"},
		{name: "revoked", know: func(t *testing.T, c *sshtest.Client, s *sshtest.Server) {
			c.Know(t, "", s.Addr, s.HostKeys[0].PublicKey())
			c.Know(t, "@revoked", s.Addr, s.HostKeys[0].PublicKey())
		}, want: "revoked"},
		{name: "of two keys only the second is known", keys: func(t *testing.T) []ssh.Signer { return []ssh.Signer{sshtest.NewKey(t), rsaKey(t)} },
			know: func(t *testing.T, c *sshtest.Client, s *sshtest.Server) {
				c.Know(t, "", s.Addr, s.HostKeys[1].PublicKey())
			}},
		{name: "known beside lines that mean nothing", know: func(t *testing.T, c *sshtest.Client, s *sshtest.Server) {
			sshtest.Write(t, c.KnownHosts, strangeLines()+knownhosts.Line([]string{s.Addr}, s.HostKeys[0].PublicKey())+"\n")
		}},
		{name: "changed beside lines that mean nothing", know: func(t *testing.T, c *sshtest.Client, s *sshtest.Server) {
			sshtest.Write(t, c.KnownHosts, strangeLines()+knownhosts.Line([]string{s.Addr}, other.PublicKey())+"\n")
		}, want: fmt.Sprintf("known_hosts:%d", strings.Count(strangeLines(), "\n")+1)},
		{name: "a directory in the place of known_hosts", know: func(t *testing.T, c *sshtest.Client, _ *sshtest.Server) {
			if err := errors.Join(os.Remove(c.KnownHosts), os.Mkdir(c.KnownHosts, 0o700)); err != nil {
				t.Fatal(err)
			}
		}, want: "unknown"},
		{name: "alias", extra: []string{"HostKeyAlias somewhere"}, know: func(t *testing.T, c *sshtest.Client, s *sshtest.Server) {
			c.Know(t, "", "somewhere", s.HostKeys[0].PublicKey())
		}},
		{name: "alias with a port", extra: []string{"HostKeyAlias [somewhere]:2222"}, know: func(t *testing.T, c *sshtest.Client, s *sshtest.Server) {
			c.Know(t, "", "somewhere:2222", s.HostKeys[0].PublicKey())
		}},
		{name: "authority", keys: func(t *testing.T) []ssh.Signer {
			return []ssh.Signer{certified(t, authority, ssh.HostCert, "127.0.0.1")}
		},
			know: func(t *testing.T, c *sshtest.Client, s *sshtest.Server) {
				c.Know(t, "@cert-authority", s.Addr, authority.PublicKey())
			}},
		{name: "an authority that did not sign", keys: func(t *testing.T) []ssh.Signer { return []ssh.Signer{certified(t, other, ssh.HostCert, "127.0.0.1")} },
			know: func(t *testing.T, c *sshtest.Client, s *sshtest.Server) {
				c.Know(t, "@cert-authority", s.Addr, authority.PublicKey())
			}, want: "certificate"},
		{name: "an authority that is revoked", keys: func(t *testing.T) []ssh.Signer {
			return []ssh.Signer{certified(t, authority, ssh.HostCert, "127.0.0.1")}
		},
			know: func(t *testing.T, c *sshtest.Client, s *sshtest.Server) {
				c.Know(t, "@cert-authority", s.Addr, authority.PublicKey())
				c.Know(t, "@revoked", s.Addr, authority.PublicKey())
			}, want: "the authority of the host's certificate"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := sshtest.NewServer(t, func(s *sshtest.Server) {
				if c.keys != nil {
					s.HostKeys = c.keys(t)
				}
				s.Env = os.Environ()
			})
			client := sshtest.NewClient(t)
			client.AddHost(t, "box", s.Addr, c.extra...)
			c.know(t, client, s)
			before, _ := os.ReadFile(client.KnownHosts)
			b := New(WithConfigFile(client.ConfigFile))
			defer b.Close()
			if c.want == "" {
				if err := b.Connect(t.Context(), "box"); err != nil {
					t.Error(err)
				}
			} else {
				attention(t, b, c.want)
			}
			if after, _ := os.ReadFile(client.KnownHosts); string(after) != string(before) {
				t.Errorf("known_hosts was changed to %q", after)
			}
		})
	}
}

// strangeLines are lines of a known_hosts file that ssh ignores: truncated ones, one of
// protocol 1, and invalid key types, markers, names and hashes.
func strangeLines() string {
	key := "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"
	return "one\ntwo ssh-ed25519\nthree ssh-ed25519 AAAA\nfour 1024 35 12345678901234567890\nfive ssh-new@example.com AAAAEnNzaC1uZXdAZXhhbXBsZS5jb20=\n" +
		"six ssh-rsa " + strings.TrimPrefix(key, "ssh-ed25519 ") + "\n@seven seven " + key + "\n|1|eight " + key + "\n[nine " + key + "\n!, " + key + "\n" +
		strings.Repeat("long,", 20_000) + " " + key + "\n# eleven\n\n"
}

// certified is a key with a certificate of authority.
func certified(t *testing.T, authority ssh.Signer, kind uint32, principal string) ssh.Signer {
	t.Helper()
	key := sshtest.NewKey(t)
	cert := &ssh.Certificate{Key: key.PublicKey(), CertType: kind, ValidPrincipals: []string{principal}, ValidBefore: ssh.CertTimeInfinity}
	if err := cert.SignCert(rand.Reader, authority); err != nil {
		t.Fatal(err)
	}
	s, err := ssh.NewCertSigner(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestUnknownHostKeyPromptsOnce(t *testing.T) {
	for _, hashed := range []string{"no", "yes"} {
		s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env = os.Environ() })
		c := sshtest.NewClient(t)
		c.AddHost(t, "box", s.Addr, "StrictHostKeyChecking ask", "HashKnownHosts "+hashed)
		sshtest.Write(t, c.KnownHosts, "# no line feed at the end")
		var asked atomic.Int32
		answer := false
		p := Prompts{HostKey: func(_ context.Context, host string, k HostKey) (bool, error) {
			asked.Add(1)
			if host != "box" || k.Fingerprint != ssh.FingerprintSHA256(s.HostKeys[0].PublicKey()) || k.Address != s.Addr {
				t.Errorf("asked about %s, %+v", host, k)
			}
			return answer, nil
		}}
		b := New(WithConfigFile(c.ConfigFile), WithPrompts(p))
		defer b.Close()
		quiet := WithInteraction(t.Context(), false)
		if err := b.Connect(quiet, "box"); err == nil || asked.Load() != 0 {
			t.Errorf("without a person: %v, asked %d times", err, asked.Load())
		}
		if err := b.Connect(t.Context(), "box"); err == nil || asked.Load() != 1 {
			t.Errorf("after no: %v", err)
		}
		answer = true
		if err := b.Connect(t.Context(), "box"); err != nil || asked.Load() != 2 {
			t.Errorf("after yes: %v", err)
		}
		data, err := os.ReadFile(c.KnownHosts)
		if err != nil || strings.Count(string(data), "\n") != 2 || strings.Contains(string(data), "127.0.0.1") == (hashed == "yes") {
			t.Errorf("hashed %s: known_hosts is %q", hashed, data)
		}
		again := New(WithConfigFile(c.ConfigFile), WithPrompts(p))
		defer again.Close()
		if err := again.Connect(t.Context(), "box"); err != nil || asked.Load() != 2 {
			t.Errorf("the next time: %v, asked %d times", err, asked.Load())
		}
	}
}

func TestJumpsAndProxyCommand(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "socat")
	s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env = os.Environ() })
	one, two := sshtest.NewServer(t, nil), sshtest.NewServer(t, nil)
	c := sshtest.NewClient(t)
	host, port, _ := net.SplitHostPort(s.Addr)
	c.AddHost(t, "one", one.Addr)
	c.AddHost(t, "two", two.Addr)
	c.AddHost(t, "box", s.Addr, "ProxyJump one,two")
	c.AddHost(t, "piped", s.Addr, fmt.Sprintf("ProxyCommand socat - TCP:%%h:%%p"))
	c.AddHost(t, "broken", s.Addr, "ProxyCommand echo no such bastion >&2; exit 1")
	for _, srv := range []*sshtest.Server{s, one, two} {
		c.Know(t, "", srv.Addr, srv.HostKeys[0].PublicKey())
	}
	b := New(WithConfigFile(c.ConfigFile))
	defer b.Close()
	if err := b.Connect(t.Context(), "box"); err != nil {
		t.Errorf("through two hops to %s:%s: %v", host, port, err)
	}
	if one.Connections() != 1 || two.Connections() != 1 {
		t.Errorf("the hops had %d and %d connections", one.Connections(), two.Connections())
	}
	if err := b.Connect(t.Context(), "piped"); err != nil {
		t.Errorf("through a command: %v", err)
	}
	if err := b.Connect(t.Context(), "broken"); err == nil || !strings.Contains(err.Error(), "no such bastion") {
		t.Errorf("a command that fails: %v", err)
	}
	// A hop whose key changed is refused as the host itself would be.
	sshtest.Write(t, c.KnownHosts, "")
	c.Know(t, "", s.Addr, s.HostKeys[0].PublicKey())
	c.Know(t, "", one.Addr, two.HostKeys[0].PublicKey())
	again := New(WithConfigFile(c.ConfigFile))
	defer again.Close()
	attention(t, again, "has changed")
}

func TestControlMasterIsUsed(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "ssh", "sshd")
	c := sshtest.NewClient(t)
	addr := sshtest.Sshd(t, c, remoteEnv(t))
	dir, err := os.MkdirTemp("", "cm") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	c.AddHost(t, "box", addr, "ControlPath "+socket)
	run(t, "ssh", "-F", c.ConfigFile, "-M", "-N", "-f", "-o", "ControlPersist=no", "box")
	t.Cleanup(func() { run(t, "ssh", "-F", c.ConfigFile, "-O", "exit", "box") })
	b := New(WithConfigFile(c.ConfigFile))
	var steps []Step
	if !b.Check(t.Context(), "box", func(s Step) { steps = append(steps, s) }) {
		t.Errorf("steps %+v", steps)
	}
	b.Close()
	if len(steps) != 6 || !strings.Contains(steps[1].Text, "ControlMaster") {
		t.Errorf("steps %+v", steps)
	}
	run(t, "ssh", "-F", c.ConfigFile, "-O", "check", "box") // it is still there
}

func TestCheckReportsTheFailedStep(t *testing.T) {
	t.Parallel()
	s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env = append(os.Environ(), remoteEnv(t)...) })
	c := sshtest.ClientOf(t, "box", s)
	c.AddHost(t, "stranger", s.Addr, "UserKnownHostsFile /dev/null")
	c.AddHost(t, "refused", "127.0.0.1:1")
	nologin := sshtest.NewServer(t, func(s *sshtest.Server) { s.Shell = filepath.Join(t.TempDir(), "nologin") })
	testtool.WriteScript(t, nologin.Shell, "echo This account is not available\nexit 1")
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() { // ends with the listener
		defer close(served)
		for {
			conn, err := busy.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	defer func() {
		busy.Close()
		<-served
	}()
	c.AddHost(t, "busy", busy.Addr().String())
	c.AddHost(t, "nologin", nologin.Addr)
	c.Know(t, "", nologin.Addr, nologin.HostKeys[0].PublicKey())
	b := New(WithConfigFile(c.ConfigFile))
	defer b.Close()
	for host, want := range map[string]struct{ step, text string }{
		"box":      {"job", "deleted"},
		"stranger": {"host key", "unknown"},
		"refused":  {"connect", "refused"},
		"busy":     {"connect", "closed the connection before it sent its key"},
		"nologin":  {"shell", "This account is not available"},
	} {
		var last Step
		ok := b.Check(t.Context(), host, func(s Step) { last = s })
		if ok != (host == "box") || last.OK != ok || last.Name != want.step || !strings.Contains(last.Text, want.text) {
			t.Errorf("%s: %v, last step %+v, want %+v", host, ok, last, want)
		}
	}
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// With accept-new the user is not prompted; the key is kept, and a later one is refused.
func TestNewKeysAreAccepted(t *testing.T) {
	s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env = os.Environ() })
	c := sshtest.NewClient(t)
	c.AddHost(t, "box", s.Addr, "StrictHostKeyChecking accept-new")
	other := sshtest.NewServer(t, func(o *sshtest.Server) { o.HostKeys = []ssh.Signer{sshtest.NewKey(t)} })
	c.AddHost(t, "alias", other.Addr, "StrictHostKeyChecking accept-new", "HostKeyAlias box-key")
	b := New(WithConfigFile(c.ConfigFile))
	defer b.Close()
	if err := b.Connect(t.Context(), "box"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(c.KnownHosts)
	if want := knownhosts.Line([]string{s.Addr}, s.HostKeys[0].PublicKey()) + "\n"; err != nil || string(data) != want {
		t.Errorf("known_hosts is %q, want %q", data, want)
	}
	c.Know(t, "", "box-key", s.HostKeys[0].PublicKey())
	if err := b.Connect(t.Context(), "alias"); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("another key under the same name: %v", err)
	}
}
