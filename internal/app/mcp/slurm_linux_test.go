package mcp_test

import (
	"strings"
	"testing"

	"github.com/hobjobs/hob/internal/slurmtest"
	"github.com/hobjobs/hob/internal/testtool"
)

// Options for sbatch that hob refuses, and those that Slurm does, are an agent's mistake.
func TestJobOnCluster(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "ssh", "sshd", "setsid")
	cluster := slurmtest.Start(t)
	h := newHome(t)
	h.addHost(cluster.Env()...)
	p := h.agent("tester")
	on := func(more params) params {
		all := params{"command": "echo done on $SLURM_JOB_PARTITION", "host": "slurm:box"}
		for name, value := range more {
			all[name] = value
		}
		return all
	}
	p.refused("bash", on(params{"sbatch": "--array=1-3"}), "usage", "--array")
	p.refused("bash", on(params{"sbatch": "-p nowhere"}), "failed", "Invalid partition")
	p.refused("bash", on(params{"sbatch": "--no-such-option"}), "failed", "unrecognized option")
	if r := p.bash(on(params{"sbatch": "--partition='urgent'", "yieldMs": 60000})); r.Status != "completed" || !strings.Contains(r.output(), "done on urgent") {
		t.Errorf("%s", r.json)
	}
	id := p.bash(on(params{"sbatch": "-p shut", "background": true})).SessionID
	p.refused("process", params{"action": "clear", "sessionId": id}, "running", "it is queued")
	if r := p.process("kill", id); r.Message != "killed before it started" {
		t.Errorf("%s", r.json)
	}
}
