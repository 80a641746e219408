//go:build unix

package ssh

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/hobjobs/hob/internal/sshtest"
)

// accepts admits clients that present key.
func accepts(key ssh.PublicKey) func(*ssh.ServerConfig) {
	return func(c *ssh.ServerConfig) {
		c.PublicKeyCallback = func(_ ssh.ConnMetadata, k ssh.PublicKey) (*ssh.Permissions, error) {
			if string(k.Marshal()) != string(key.Marshal()) {
				return nil, errors.New("no")
			}
			return nil, nil
		}
	}
}

func TestPassphrasePromptWhenTheKeyIsUsed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "locked")
	pub := sshtest.KeyFile(t, file, "open sesame")
	s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env, s.Auth = os.Environ(), accepts(pub) })
	c := sshtest.NewClient(t)
	c.AddHost(t, "box", s.Addr, "IdentityFile "+file)
	c.Know(t, "", s.Addr, s.HostKeys[0].PublicKey())
	answers := []string{"wrong", "open sesame"}
	asked := 0
	p := Prompts{Passphrase: func(_ context.Context, host, f string, again bool) (string, error) {
		if host != "box" || f != file || again != (asked > 0) {
			t.Errorf("asked for %s of %s, again %v", f, host, again)
		}
		asked++
		return answers[asked-1], nil
	}}
	b := New(WithConfigFile(c.ConfigFile), WithPrompts(p))
	defer b.Close()
	if err := b.Connect(WithInteraction(t.Context(), false), "box"); err == nil || !strings.Contains(err.Error(), "encrypted") {
		t.Errorf("without a person: %v", err)
	}
	if err := b.Connect(t.Context(), "box"); err != nil || asked != 2 {
		t.Fatalf("%v, asked %d times", err, asked)
	}
	// It is kept in memory: a lost connection comes back by itself.
	s.Cut()
	if _, err := b.host("box").ask(WithInteraction(t.Context(), false), quick, "hello", askOptions{}); err != nil || asked != 2 {
		t.Errorf("the next connection: %v, asked %d times", err, asked)
	}
}

func TestKeyboardInteractiveAndPassword(t *testing.T) {
	cases := []struct {
		name string
		auth func(*ssh.ServerConfig)
	}{
		{"questions", func(c *ssh.ServerConfig) {
			c.KeyboardInteractiveCallback = func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
				a, err := ask("", "second factor", []string{"Password: ", "Code: "}, []bool{false, true})
				if err != nil || len(a) != 2 || a[0] != "pw" || a[1] != "123" {
					return nil, errors.New("no")
				}
				return nil, nil
			}
		}},
		{"password", func(c *ssh.ServerConfig) {
			c.PasswordCallback = func(_ ssh.ConnMetadata, p []byte) (*ssh.Permissions, error) {
				if string(p) != "pw" {
					return nil, errors.New("no")
				}
				return nil, nil
			}
		}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env, s.Auth = os.Environ(), tc.auth })
			c := sshtest.ClientOf(t, "box", s)
			right := true
			p := Prompts{
				Questions: func(_ context.Context, _ string, q Questions) ([]string, error) {
					if len(q.Questions) != 2 || q.Questions[0].Echo || !q.Questions[1].Echo {
						t.Errorf("asked %+v", q)
					}
					return []string{"pw", "123"}, nil
				},
				Password: func(context.Context, string, string, bool) (string, error) {
					if !right {
						return "wrong", nil
					}
					return "pw", nil
				},
			}
			b := New(WithConfigFile(c.ConfigFile), WithPrompts(p))
			defer b.Close()
			if err := b.Connect(t.Context(), "box"); err != nil {
				t.Error(err)
			}
			if tc.name == "password" {
				right = false
				wrong := New(WithConfigFile(c.ConfigFile), WithPrompts(p))
				defer wrong.Close()
				attention(t, wrong, "refused")
			}
		})
	}
}

func TestRefusedLoginIsNotRepeated(t *testing.T) {
	s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env, s.Auth = os.Environ(), accepts(sshtest.NewKey(t).PublicKey()) })
	c := sshtest.ClientOf(t, "box", s)
	b := New(WithConfigFile(c.ConfigFile))
	defer b.Close()
	attention(t, b, "refused")
	n := s.Connections()
	h := b.host("box")
	for range 5 {
		if _, err := h.ask(WithInteraction(t.Context(), false), quick, "hello", askOptions{}); err == nil {
			t.Fatal("it answered")
		}
	}
	if got := s.Connections(); got != n {
		t.Errorf("%d more connections were made", got-n)
	}
	if hosts := b.Hosts(); len(hosts) != 1 || !hosts[0].Attention || hosts[0].Hint == "" {
		t.Errorf("hosts %+v", hosts)
	}
}

func TestUserCertificate(t *testing.T) {
	t.Parallel()
	authority := sshtest.NewKey(t)
	s := sshtest.NewServer(t, func(s *sshtest.Server) {
		s.Env = os.Environ()
		s.Auth = func(c *ssh.ServerConfig) {
			checker := ssh.CertChecker{IsUserAuthority: func(k ssh.PublicKey) bool {
				return string(k.Marshal()) == string(authority.PublicKey().Marshal())
			}}
			c.PublicKeyCallback = checker.Authenticate
		}
	})
	c := sshtest.NewClient(t)
	c.AddHost(t, "box", s.Addr, "User tester")
	c.Know(t, "", s.Addr, s.HostKeys[0].PublicKey())
	cert := &ssh.Certificate{Key: c.Public, CertType: ssh.UserCert, ValidPrincipals: []string{"tester"}, ValidBefore: ssh.CertTimeInfinity}
	if err := cert.SignCert(rand.Reader, authority); err != nil {
		t.Fatal(err)
	}
	b := New(WithConfigFile(c.ConfigFile))
	defer b.Close()
	attention(t, b, "refused")
	sshtest.Write(t, c.Identity+"-cert.pub", string(ssh.MarshalAuthorizedKey(cert)))
	if err := b.Connect(t.Context(), "box"); err != nil {
		t.Error(err)
	}
	cert.ValidBefore = 1
	if err := cert.SignCert(rand.Reader, authority); err != nil {
		t.Fatal(err)
	}
	sshtest.Write(t, c.Identity+"-cert.pub", string(ssh.MarshalAuthorizedKey(cert)))
	late := New(WithConfigFile(c.ConfigFile))
	defer late.Close()
	attention(t, late, "refused")
}

// agentWith is a socket of an agent that has keys.
func agentWith(t *testing.T, keys ...any) string {
	t.Helper()
	ring := agent.NewKeyring()
	for _, k := range keys {
		if err := ring.Add(agent.AddedKey{PrivateKey: k}); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := os.MkdirTemp("", "ag")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	ln, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() { // ends with the listener
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go agent.ServeAgent(ring, conn) // ends with the connection
		}
	}()
	return filepath.Join(dir, "s")
}

func TestAgent(t *testing.T) {
	// More keys than a server puts up with, and the right one last.
	var keys []any
	var right ssh.PublicKey
	for range 8 {
		pub, key, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if right, err = ssh.NewPublicKey(pub); err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env, s.Auth = os.Environ(), accepts(right) })
	socket := agentWith(t, keys...)
	named := filepath.Join(t.TempDir(), "named")
	sshtest.Write(t, named+".pub", string(ssh.MarshalAuthorizedKey(right)))
	c := sshtest.NewClient(t)
	c.AddHost(t, "many", s.Addr, "IdentityAgent "+socket, "IdentitiesOnly no")
	c.AddHost(t, "box", s.Addr, "IdentityAgent "+socket, "IdentityFile "+named)
	c.AddHost(t, "none", s.Addr, "IdentityAgent none", "IdentityFile "+named)
	c.Know(t, "", s.Addr, s.HostKeys[0].PublicKey())
	b := New(WithConfigFile(c.ConfigFile))
	defer b.Close()
	if err := b.Connect(t.Context(), "box"); err != nil {
		t.Errorf("the key that the configuration names: %v", err)
	}
	for host, want := range map[string]string{"many": "too many authentication failures", "none": "refused"} {
		if err := b.Connect(t.Context(), host); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", host, err, want)
		}
	}
}

// A hanging agent does not block a canceled call.
func TestSilentAgentDoesNotBlockClose(t *testing.T) {
	dir, err := os.MkdirTemp("", "ag") // the path of a socket has to be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "s")
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	c := sshtest.NewClient(t)
	s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env, s.Auth = os.Environ(), accepts(c.Public) })
	c.AddHost(t, "box", s.Addr, "IdentityAgent "+socket)
	c.Know(t, "", s.Addr, s.HostKeys[0].PublicKey())
	b := New(WithConfigFile(c.ConfigFile))
	connected := make(chan error, 1)
	go func() {
		err := b.Connect(t.Context(), "box")
		ln.Close() // a prompt that has not appeared by then never will
		connected <- err
	}()
	conn, err := ln.Accept()
	if err != nil {
		t.Fatalf("the agent was not asked: %v", <-connected)
	}
	defer conn.Close()
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		t.Fatalf("the agent was not asked: %v", err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if err := <-connected; err == nil {
		t.Error("connected, and the agent has not said a word")
	}
}

// If only a prompt is missing, the error describes the question and how to get prompted.
func TestErrorNamesTheMissingPrompt(t *testing.T) {
	password := func(c *ssh.ServerConfig) {
		c.PasswordCallback = func(ssh.ConnMetadata, []byte) (*ssh.Permissions, error) {
			t.Error("a password was sent")
			return nil, errors.New("no")
		}
	}
	questions := func(c *ssh.ServerConfig) {
		c.KeyboardInteractiveCallback = func(ssh.ConnMetadata, ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			t.Error("an interactive login was started, which may send the user a code")
			return nil, errors.New("no")
		}
	}
	key := filepath.Join(t.TempDir(), "key")
	sshtest.KeyFile(t, key, "")
	cases := []struct {
		name, config, err, hint string
		auth                    func(*ssh.ServerConfig)
	}{
		{"password", "", "requires a password", "hob hosts check box", password},
		{"password, BatchMode", "BatchMode yes", "requires a password", "BatchMode", password},
		{"password, before keys", "PreferredAuthentications password,publickey\n IdentityFile " + key, "requires a password (tried " + key, "ssh-copy-id box", func(c *ssh.ServerConfig) {
			password(c)
			c.PublicKeyCallback = func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) { return nil, errors.New("no") }
		}},
		{"password, not from us", "PasswordAuthentication no", "refused (no credentials to try; the server accepts password)", "ssh box", password},
		{"questions", "", "requires answers to its questions (no credentials to try", "hob hosts check box", questions},
		{"questions, not from us", "KbdInteractiveAuthentication no", "refused (no credentials to try; the server accepts keyboard-interactive)", "ssh box", questions},
		{"questions, after a key", "IdentityFile " + key, "the key was accepted, and the server also requires answers to its questions", "hob hosts check box", func(c *ssh.ServerConfig) {
			second := &ssh.ServerConfig{}
			questions(second)
			c.PublicKeyCallback = func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) {
				return nil, &ssh.PartialSuccessError{Next: ssh.ServerAuthCallbacks{KeyboardInteractiveCallback: second.KeyboardInteractiveCallback}}
			}
		}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env, s.Auth = os.Environ(), tc.auth })
			c := sshtest.NewClient(t)
			c.AddHost(t, "box", s.Addr, tc.config)
			c.Know(t, "", s.Addr, s.HostKeys[0].PublicKey())
			b := New(WithConfigFile(c.ConfigFile))
			defer b.Close()
			if he := attention(t, b, tc.err); he != nil && !strings.Contains(he.Hint, tc.hint) {
				t.Errorf("hint %q, want %q in it", he.Hint, tc.hint)
			}
		})
	}
}
