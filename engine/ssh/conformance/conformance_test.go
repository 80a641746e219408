//go:build unix

// Package conformance_test runs the conformance suite on hosts of every kind. It is apart from the other tests
// of package ssh because it takes as long as they do.
package conformance_test

import (
	"os"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/enginetest"
	"github.com/hobjobs/hob/engine/ssh"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

func TestMain(m *testing.M) { os.Exit(testtool.RunWithoutLeaks(m)) }

// patient is how long tests wait for an answer of a host: enough for a slow machine.
const patient = 30 * time.Second

// remoteEnv is the environment of commands on a host whose state directory is
// not that of the engine under test.
func remoteEnv(t *testing.T) []string {
	t.Helper()
	return []string{"HOB_STATE_DIR=" + testtool.TempDir(t)}
}

// here is the backend where jobs are started on this machine as another one does over
// SSH, but without a connection: what looks after them is the same.
type here struct{ *ssh.Backend }

func (here) Serves(string) bool { return true }

func newHere() engine.Backend { return here{ssh.New(ssh.WithPatience(patient))} }

// needsScript skips a case where script(1), which gives jobs on a host their terminal, is missing.
func needsScript(t testing.TB) { testtool.Need(t, "script") }

// onHost is a backend that reaches the host box of c.
func onHost(c *sshtest.Client) enginetest.Config {
	return enginetest.Config{
		Host:     "box",
		New:      func() engine.Backend { return ssh.New(ssh.WithConfigFile(c.ConfigFile), ssh.WithPatience(patient)) },
		Terminal: needsScript,
	}
}

func TestConformanceOfLocalJobs(t *testing.T) {
	t.Parallel() // it waits, mostly, as the others here
	enginetest.Run(t, func(*testing.T) enginetest.Config {
		return enginetest.Config{New: newHere, Terminal: needsScript}
	})
}

func TestConformanceInProcess(t *testing.T) {
	for _, manner := range []sshtest.Manner{sshtest.OpenSSH, sshtest.Dropbear} {
		t.Run(string(manner), func(t *testing.T) {
			if testing.Short() && manner != sshtest.OpenSSH {
				t.Skip("-short")
			}
			t.Parallel()
			enginetest.Run(t, func(t *testing.T) enginetest.Config {
				s := sshtest.NewServer(t, func(s *sshtest.Server) {
					s.Manner, s.Env = manner, append(os.Environ(), remoteEnv(t)...)
				})
				cfg := onHost(sshtest.ClientOf(t, "box", s))
				cfg.Cut = func(*testing.T) func() {
					s.SetDown(true)
					return func() { s.SetDown(false) }
				}
				return cfg
			})
		})
	}
}

func TestConformanceOverSshd(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	t.Parallel()
	enginetest.Run(t, func(t *testing.T) enginetest.Config {
		c := sshtest.NewClient(t)
		c.AddHost(t, "box", sshtest.Sshd(t, c, remoteEnv(t)))
		return onHost(c)
	})
}

func TestConformanceOverDropbear(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	t.Parallel()
	enginetest.Run(t, func(t *testing.T) enginetest.Config {
		c := sshtest.NewClient(t)
		c.AddHost(t, "box", sshtest.DropbearServer(t, c, nil))
		return onHost(c)
	})
}
