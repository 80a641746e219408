//go:build unix

package conformance_test

import (
	"os"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/enginetest"
	"github.com/hobjobs/hob/engine/ssh"
	"github.com/hobjobs/hob/engine/ssh/internal/hosttest"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

func TestMain(m *testing.M) { os.Exit(testtool.RunWithoutLeaks(m)) }

// here is the backend where jobs are started on this machine as another one does over
// SSH, but without a connection: what looks after them is the same.
type here struct{ *ssh.Backend }

func (here) Serves(string) bool { return true }

func newHere() engine.Backend { return here{ssh.New(ssh.WithPatience(hosttest.Patience))} }

func TestConformanceOfLocalJobs(t *testing.T) {
	t.Parallel()
	enginetest.Run(t, func(*testing.T) enginetest.Config {
		return enginetest.Config{New: newHere, Terminal: hosttest.Script}
	})
}

func TestConformanceInProcess(t *testing.T) {
	t.Parallel()
	for _, manner := range []sshtest.Manner{sshtest.OpenSSH, sshtest.Dropbear} {
		t.Run(string(manner), func(t *testing.T) {
			if testing.Short() && manner != sshtest.OpenSSH {
				t.Skip("-short")
			}
			t.Parallel()
			enginetest.Run(t, func(t *testing.T) enginetest.Config {
				s := sshtest.NewServer(t, func(s *sshtest.Server) {
					s.Manner, s.Env = manner, append(os.Environ(), hosttest.Env(t)...)
				})
				return hosttest.Reach(hosttest.OnHost(sshtest.ClientOf(t, "box", s), "box"), s)
			})
		})
	}
}
