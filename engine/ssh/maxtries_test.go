//go:build unix

package ssh

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/hobjobs/hob/internal/sshtest"
)

// A host ends a connection after MaxAuthTries attempts, which the keys and the wrong passwords have
// used up together. The user may have mistyped the password only once.
func TestPasswordAfterTheLastAttempt(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answers []string
		asked   int    // prompts
		err     string // part of it; empty: none
	}{
		"right the second time": {[]string{"wrong", "pw"}, 2, ""},
		"right the third time":  {[]string{"wrong", "worse", "pw"}, 3, ""},
		"never":                 {[]string{"wrong"}, 3, "wrong password, and the host allows no more attempts"},
	} {
		t.Run(name, func(t *testing.T) {
			s := sshtest.NewServer(t, func(s *sshtest.Server) {
				s.Env = os.Environ()
				s.Auth = func(c *ssh.ServerConfig) {
					accepts(sshtest.NewKey(t).PublicKey())(c) // not the client's
					c.PasswordCallback = func(_ ssh.ConnMetadata, p []byte) (*ssh.Permissions, error) {
						if string(p) != "pw" {
							return nil, errors.New("no")
						}
						return nil, nil
					}
					c.MaxAuthTries = 2
				}
			})
			c := sshtest.ClientOf(t, "box", s)
			var again []bool
			b := New(WithConfigFile(c.ConfigFile), WithPrompts(Prompts{
				Password: func(_ context.Context, _, _ string, a bool) (string, error) {
					again = append(again, a)
					return tt.answers[min(len(again), len(tt.answers))-1], nil
				},
			}))
			defer b.Close()
			err := b.Connect(t.Context(), "box")
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("got %v, want %q", err, tt.err)
			}
			want := []bool{false, true, true}[:tt.asked]
			if !slices.Equal(again, want) {
				t.Errorf("asked again: %v, want %v", again, want)
			}
		})
	}
}
