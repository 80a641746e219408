package cluster_test

import (
	"os"
	"slices"
	"testing"

	"github.com/hobjobs/hob/engine/enginetest"
	"github.com/hobjobs/hob/engine/ssh/internal/hosttest"
	"github.com/hobjobs/hob/internal/slurmtest"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

func TestMain(m *testing.M) { os.Exit(testtool.RunWithoutLeaks(m)) }

func TestConformanceOverSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	cluster := slurmtest.Start(t)
	enginetest.Run(t, func(t *testing.T) enginetest.Config {
		s := sshtest.NewServer(t, func(s *sshtest.Server) {
			s.Env = slices.Concat(os.Environ(), hosttest.Env(t), cluster.Env())
		})
		cfg := hosttest.OnHost(sshtest.ClientOf(t, "box", s), "slurm:box")
		cfg.Queues = true
		return hosttest.Reach(cfg, s)
	})
}
