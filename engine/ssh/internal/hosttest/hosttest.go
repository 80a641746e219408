//go:build unix

// Package hosttest has what the conformance suite needs on hosts. It runs in three packages, each of which
// takes as long as the other tests of package ssh: conformance on this process as a host,
// conformance/servers on real SSH servers and conformance/cluster on Slurm.
package hosttest

import (
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/enginetest"
	"github.com/hobjobs/hob/engine/ssh"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

// Patience is how long tests wait for an answer of a host: enough for a slow machine.
const Patience = 30 * time.Second

// Env returns the environment of commands on a host whose state directory is not that of the engine
// under test.
func Env(t *testing.T) []string {
	t.Helper()
	return []string{"HOB_STATE_DIR=" + testtool.TempDir(t)}
}

// Script skips a case where script(1), which gives jobs on a host their terminal, is missing.
func Script(t testing.TB) {
	t.Helper()
	testtool.Need(t, "script")
}

// OnHost returns a backend that reaches the hosts of c, and has its jobs on host.
func OnHost(c *sshtest.Client, host string) enginetest.Config {
	return enginetest.Config{
		Host:     host,
		New:      func() engine.Backend { return ssh.New(ssh.WithConfigFile(c.ConfigFile), ssh.WithPatience(Patience)) },
		Terminal: Script,
	}
}

// Reach lets cases of cfg cut the connections to s.
func Reach(cfg enginetest.Config, s *sshtest.Server) enginetest.Config {
	cfg.Cut = func(*testing.T) func() {
		s.SetDown(true)
		return func() { s.SetDown(false) }
	}
	return cfg
}
