//go:build unix

package holder_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/enginetest"
	"github.com/hobjobs/hob/engine/ssh"
	"github.com/hobjobs/hob/engine/ssh/internal/hosttest"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

func TestMain(m *testing.M) { os.Exit(testtool.RunWithoutLeaks(m)) }

// A job with hob's holder on the host has the capabilities of a local job.
func TestConformanceWithHolder(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	program := sshtest.BuildHolder(t)
	// The installed program of all cases: each has a state directory of its own.
	home := testtool.TempDir(t)
	install(t, home, program)
	t.Run("OpenSSH", func(t *testing.T) {
		enginetest.Run(t, func(t *testing.T) enginetest.Config {
			s := sshtest.NewServer(t, func(s *sshtest.Server) {
				s.Env = append(os.Environ(), append(hosttest.Env(t), "HOME="+home, "XDG_DATA_HOME=", "XDG_RUNTIME_DIR=")...)
			})
			cfg := hosttest.Reach(hosttest.OnHost(sshtest.ClientOf(t, "box", s), "box"), s)
			cfg.Terminal = nil
			cfg.Holder = true
			cfg.KillHolder = killHolder
			return cfg
		})
	})
}

// install installs the program for a home directory.
func install(t *testing.T, home, program string) {
	t.Helper()
	s := sshtest.NewServer(t, func(s *sshtest.Server) {
		s.Env = append(os.Environ(), append(hosttest.Env(t), "HOME="+home, "XDG_DATA_HOME=")...)
	})
	c := sshtest.ClientOf(t, "box", s)
	b := ssh.New(ssh.WithConfigFile(c.ConfigFile), ssh.WithPatience(hosttest.Patience))
	defer b.Close()
	if _, err := b.InstallHolder(t.Context(), "box", program); err != nil {
		t.Fatal(err)
	}
}

func killHolder(t *testing.T, j engine.Job) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(j.HostDir, jobdir.StateFile))
	if err != nil {
		t.Fatal(err)
	}
	var st engine.State
	if err := json.Unmarshal(text, &st); err != nil {
		t.Fatal(err)
	}
	if err := proc.Signal(st.Holder, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
