//go:build unix

package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

// outlast returns when the server at addr has closed a connection that was made after those that
// there are, because nothing authenticated in time.
func outlast(t *testing.T, addr string) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	io.Copy(io.Discard, conn)
}

// The user may take longer than the server allows for a login.
func TestAnswerAfterTheLoginGraceTime(t *testing.T) { answersLate(t, "native") }

func TestAnswerToTheSSHProgramAfterTheLoginGraceTime(t *testing.T) { answersLate(t, "openssh") }

// answersLate answers each question after the server's time. Its tests are not parts of one, which would begin when
// all others have: they take half a minute, and need no processor.
func answersLate(t *testing.T, transport string) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short") // it outlasts the server's time twice
	}
	t.Parallel()
	testtool.Need(t, "ssh")
	c := sshtest.NewClient(t)
	file := filepath.Join(t.TempDir(), "locked")
	c.Public = sshtest.KeyFile(t, file, "sesame")
	addr := sshtest.Sshd(t, c, nil, "LoginGraceTime 12")
	sshtest.Write(t, c.KnownHosts, "") // so that the host's key is a question too
	c.AddHost(t, "box", addr, "IdentityFile "+file, "StrictHostKeyChecking ask")
	asked := map[string]int{}
	ask := func(question string) {
		if asked[question]++; asked[question] == 1 {
			outlast(t, addr)
		}
	}
	b := New(WithConfigFile(c.ConfigFile), WithHostSettings(func(string) HostSettings { return HostSettings{Transport: transport} }), WithPrompts(Prompts{
		HostKey: func(context.Context, string, HostKey) (bool, error) {
			ask("host key")
			return true, nil
		},
		Passphrase: func(context.Context, string, string, bool) (string, error) {
			ask("passphrase")
			return "sesame", nil
		},
	}))
	defer b.Close()
	if err := b.Connect(t.Context(), "box"); err != nil {
		t.Error(err)
	}
	if asked["host key"] != 1 || asked["passphrase"] != 1 {
		t.Errorf("asked %v, want each question once", asked)
	}
}

func TestAnswerToAConnectionThatIsClosed(t *testing.T) {
	t.Parallel()
	no := errors.New("no")
	password := func(c *ssh.ServerConfig) {
		c.PasswordCallback = func(_ ssh.ConnMetadata, p []byte) (*ssh.Permissions, error) {
			if string(p) != "pw" {
				return nil, no
			}
			return nil, nil
		}
	}
	questions := func(c *ssh.ServerConfig) {
		c.KeyboardInteractiveCallback = func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			if a, err := ask("", "", []string{"Password: "}, []bool{false}); err != nil || a[0] != "pw" {
				return nil, no
			}
			if a, err := ask("", "", []string{"Code: "}, []bool{true}); err != nil || a[0] != "123" {
				return nil, no
			}
			return nil, nil
		}
	}
	for _, tc := range []struct {
		name    string
		auth    func(*ssh.ServerConfig)
		answers []string // a ! in front: the server closes the connection before this answer
		want    []string // the questions
		err     bool
	}{
		{"a password", password, []string{"!pw"}, []string{"password"}, false},
		{"the right password after a wrong one", password, []string{"x", "!pw"}, []string{"password", "password again"}, false},
		{"a wrong password", password, []string{"!x", "pw"}, []string{"password", "password again"}, false},
		{"the first of two questions", questions, []string{"!pw", "123"}, []string{"Password: ", "Code: "}, false},
		{"the second of two questions", questions, []string{"pw", "!123"}, []string{"Password: ", "Code: "}, false},
		{"both questions", questions, []string{"!pw", "!123"}, []string{"Password: ", "Code: "}, false},
		{"questions, where a password does too", func(c *ssh.ServerConfig) { password(c); questions(c) }, []string{"!pw", "123"}, []string{"Password: ", "Code: "}, false},
		{"three wrong passwords", password, []string{"!x", "!y", "!z"}, []string{"password", "password again", "password again"}, true},
		{"no answer", password, []string{"!"}, []string{"password"}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env, s.Auth = os.Environ(), tc.auth })
			c := sshtest.ClientOf(t, "box", s)
			var asked []string
			ask := func(question string) (string, error) {
				asked = append(asked, question)
				if len(asked) > len(tc.answers) {
					return "", fmt.Errorf("asked for %q", asked)
				}
				answer := tc.answers[len(asked)-1]
				if answer[0] == '!' {
					s.Cut()
					answer = answer[1:]
				}
				if answer == "" {
					return "", errors.New("no answer was given")
				}
				return answer, nil
			}
			b := New(WithConfigFile(c.ConfigFile), WithPrompts(Prompts{
				Password: func(_ context.Context, _, _ string, again bool) (string, error) {
					if again {
						return ask("password again")
					}
					return ask("password")
				},
				Questions: func(_ context.Context, _ string, q Questions) ([]string, error) {
					s, err := ask(q.Questions[0].Text)
					return []string{s}, err
				},
			}))
			defer b.Close()
			if err := b.Connect(t.Context(), "box"); (err != nil) != tc.err {
				t.Errorf("connect: %v", err)
			}
			if !slices.Equal(asked, tc.want) {
				t.Errorf("asked %q, want %q", asked, tc.want)
			}
		})
	}
}
