//go:build unix

package ssh

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

func withSettings(s HostSettings) Option {
	return WithHostSettings(func(host string) HostSettings {
		if host == "box" {
			return s
		}
		return HostSettings{}
	})
}

func TestStateDirOfAHost(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	dir := filepath.Join(t.TempDir(), "it's here")
	for name, set := range map[string]struct{ dir, want string }{"absolute": {dir, dir}, "in the home": {"~/a b", filepath.Join(home, "a b")}} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(s *sshtest.Server) { s.Env = append(s.Env, "HOME="+home) }, withSettings(HostSettings{StateDir: set.dir}))
			j := r.start("echo hello")
			r.wait(j.ID)
			if want := filepath.Join(set.want, "jobs", string(j.ID), "output.log"); j.OutputPath != want {
				t.Errorf("the output is in %s, want %s", j.OutputPath, want)
			}
			if data, err := os.ReadFile(j.OutputPath); string(data) != "hello\n" {
				t.Errorf("the log has %q, %v", data, err)
			}
		})
	}
}

// Without the setting, hob would wait for the silent server longer than the test does.
func TestConnectTimeout(t *testing.T) {
	s := sshtest.NewServer(t, nil)
	s.Stall(true)
	c := sshtest.ClientOf(t, "box", s)
	b := New(WithConfigFile(c.ConfigFile), withSettings(HostSettings{ConnectTimeout: 100 * time.Millisecond}))
	defer b.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	if err := b.Connect(ctx, "box"); !errors.Is(err, engine.ErrUnreachable) || !strings.Contains(err.Error(), "no answer in time") {
		t.Errorf("error %v", err)
	}
}

// sockets has the control sockets of the ssh program in a directory of the
// test's, and expects it to be empty when the test is over.
func sockets(t *testing.T) {
	t.Helper()
	testtool.Need(t, "ssh")
	dir, err := os.MkdirTemp("", "hs") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	t.Cleanup(func() {
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
		os.RemoveAll(dir)
	})
}

func TestSSHProgramIsUsedWhereNeeded(t *testing.T) {
	sockets(t)
	empty := filepath.Join(t.TempDir(), "none")
	sshtest.Write(t, empty, "")
	for name, c := range map[string]struct {
		extra []string
		set   HostSettings
		want  string // in the step; empty: it is not used
	}{
		"native":                     {},
		"by settings":                {set: HostSettings{Transport: "openssh"}, want: "it is configured"},
		"by need":                    {extra: []string{"RevokedHostKeys " + empty}, set: HostSettings{Transport: "auto"}, want: "RevokedHostKeys"},
		"native though it is needed": {extra: []string{"RevokedHostKeys " + empty}, set: HostSettings{Transport: "native"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env = append(os.Environ(), remoteEnv(t)...) })
			client := sshtest.NewClient(t)
			client.AddHost(t, "box", s.Addr, c.extra...)
			client.Know(t, "", s.Addr, s.HostKeys[0].PublicKey())
			b := New(WithConfigFile(client.ConfigFile), withSettings(c.set))
			defer b.Close()
			ctx, enough := context.WithCancel(t.Context())
			defer enough()
			b.Check(ctx, "box", func(s Step) {
				if s.Name == "config" || ctx.Err() != nil {
					return
				}
				enough()
				used := strings.Contains(s.Text, "ssh program")
				if s.Name != "connect" || !s.OK || used != (c.want != "") || !strings.Contains(s.Text, c.want) {
					t.Errorf("step %+v", s)
				}
			})
		})
	}
}

func TestSSHProgramRefusesKeys(t *testing.T) {
	sockets(t)
	for name, c := range map[string]struct {
		know func(c *sshtest.Client, s *sshtest.Server) (option string)
		want string
	}{
		"revoked": {func(c *sshtest.Client, s *sshtest.Server) string {
			c.Know(t, "", s.Addr, s.HostKeys[0].PublicKey())
			file := filepath.Join(c.Dir, "revoked")
			sshtest.Write(t, file, string(ssh.MarshalAuthorizedKey(s.HostKeys[0].PublicKey())))
			return "RevokedHostKeys " + file
		}, "revoked"},
		"changed, and checking is off": {func(c *sshtest.Client, s *sshtest.Server) string {
			c.Know(t, "", s.Addr, sshtest.NewKey(t).PublicKey())
			return "StrictHostKeyChecking no"
		}, "has changed: it differs from the one in /"},
		"unknown": {func(*sshtest.Client, *sshtest.Server) string { return "StrictHostKeyChecking ask" }, "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env = os.Environ() })
			client := sshtest.NewClient(t)
			client.AddHost(t, "box", s.Addr, c.know(client, s))
			b := New(WithConfigFile(client.ConfigFile), withSettings(HostSettings{Transport: "openssh"}))
			defer b.Close()
			attention(t, b, c.want)
		})
	}
}

// asked are prompts that note what was asked and give answers in order.
type asked struct {
	mu      sync.Mutex
	log     []string
	answers []string
}

func (a *asked) next(what string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.log = append(a.log, what)
	if len(a.answers) == 0 {
		return ""
	}
	s := a.answers[0]
	a.answers = a.answers[1:]
	return s
}

func (a *asked) prompts() Prompts {
	return Prompts{
		Passphrase: func(_ context.Context, host, file string, again bool) (string, error) {
			what := host + ": passphrase of " + filepath.Base(file)
			if again {
				what += " again"
			}
			return a.next(what), nil
		},
		Password: func(_ context.Context, host, user string, again bool) (string, error) {
			what := host + ": password of " + user
			if again {
				what += " again"
			}
			return a.next(what), nil
		},
		Questions: func(_ context.Context, host string, q Questions) ([]string, error) {
			answers := make([]string, len(q.Questions))
			for i, one := range q.Questions {
				answers[i] = a.next(host + ": " + one.Text)
			}
			return answers, nil
		},
		HostKey: func(_ context.Context, host string, k HostKey) (bool, error) {
			return a.next(host+": key "+k.Fingerprint) == "yes", nil
		},
	}
}

func (a *asked) expect(t *testing.T, want ...string) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	if strings.Join(a.log, "\n") != strings.Join(want, "\n") {
		t.Errorf("asked %q, want %q", a.log, want)
	}
	a.log = nil
}

func TestSSHProgramPrompts(t *testing.T) {
	sockets(t)
	file := filepath.Join(t.TempDir(), "locked")
	pub := sshtest.KeyFile(t, file, "sesame")
	s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env, s.Auth = os.Environ(), accepts(pub) })
	c := sshtest.NewClient(t)
	c.AddHost(t, "box", s.Addr, "StrictHostKeyChecking ask", "IdentityFile "+file)
	print := ssh.FingerprintSHA256(s.HostKeys[0].PublicKey())
	a := &asked{answers: []string{"no", "yes", "wrong", "sesame"}}
	b := New(WithConfigFile(c.ConfigFile), withSettings(HostSettings{Transport: "openssh"}), WithPrompts(a.prompts()))
	defer b.Close()
	attention(t, b, "not accepted")
	a.expect(t, "box: key "+print)
	if err := b.Connect(t.Context(), "box"); err != nil {
		t.Fatal(err)
	}
	a.expect(t, "box: key "+print, "box: passphrase of locked", "box: passphrase of locked again")
	if data, err := os.ReadFile(c.KnownHosts); !strings.Contains(string(data), "ssh-ed25519") {
		t.Errorf("known_hosts is %q, %v", data, err)
	}
}

func TestSSHProgramPromptsForThePassword(t *testing.T) {
	sockets(t)
	s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env, s.Auth = os.Environ(), password("pw") })
	c := sshtest.NewClient(t)
	c.AddHost(t, "box", s.Addr, "User tester")
	c.Know(t, "", s.Addr, s.HostKeys[0].PublicKey())
	a := &asked{answers: []string{"1", "2", "3", "4", "pw"}}
	b := New(WithConfigFile(c.ConfigFile), withSettings(HostSettings{Transport: "openssh"}), WithPrompts(a.prompts()))
	defer b.Close()
	attention(t, b, "Permission denied")
	a.expect(t, "box: password of tester", "box: password of tester again", "box: password of tester again")
	if err := b.Connect(t.Context(), "box"); err != nil {
		t.Error(err)
	}
	// A connection that is cut is made again, without a prompt.
	s.Cut()
	_, err := b.host("box").ask(WithInteraction(t.Context(), false), quick, "hello", askOptions{})
	if he, ok := errors.AsType[*HostError](err); !ok || !he.Attention {
		t.Errorf("after the cut: %v", err)
	}
	a.expect(t, "box: password of tester", "box: password of tester again")
}

// password admits clients that present the right password.
func password(right string) func(*ssh.ServerConfig) {
	return func(c *ssh.ServerConfig) {
		c.PasswordCallback = func(_ ssh.ConnMetadata, p []byte) (*ssh.Permissions, error) {
			if string(p) != right {
				return nil, errors.New("no")
			}
			return nil, nil
		}
	}
}

func TestSSHProgramReconnects(t *testing.T) {
	sockets(t)
	r := newRig(t, nil, withSettings(HostSettings{Transport: "openssh"}))
	j := r.start("echo begun; sleep 300")
	r.printed(j.ID, "begun\n")
	r.s.Cut()
	if _, err := r.e.Handle(j.ID).Stop(r.ctx(), engine.StopOptions{Grace: -1}); err != nil {
		t.Errorf("kill over a new connection: %v", err)
	}
	if n := r.s.Connections(); n != 2 {
		t.Errorf("%d connections", n)
	}
	r.e.Close()
}
