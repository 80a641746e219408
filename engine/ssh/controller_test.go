//go:build unix

package ssh

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

// fakeSqueue and fakeSbatch are the programs of a cluster with one job, in the state that the file state has.
// The controller hangs while the file hangs exists.
const (
	fakeSqueue = `while [ -e %[1]s/hangs ]; do sleep 0.05; done
echo "7|$(cat %[1]s/state)|$(cat %[1]s/comment)|N/A|N/A|main|None|"`
	fakeSbatch = `for a; do
	case $a in --comment=*) echo "${a#--comment=}" >%[1]s/comment ;; esac
done
echo 7`
)

// A command looks at a job once. What it reports about Slurm is from now, or from a moment ago.
func TestCommandReportsTheController(t *testing.T) {
	t.Parallel()
	dir, bin := t.TempDir(), t.TempDir()
	testtool.WriteScript(t, filepath.Join(bin, "squeue"), fmt.Sprintf(fakeSqueue, dir))
	testtool.WriteScript(t, filepath.Join(bin, "sbatch"), fmt.Sprintf(fakeSbatch, dir))
	write := func(name, text string) { sshtest.Write(t, filepath.Join(dir, name), text) }
	write("state", "PENDING")
	env := remoteEnv(t)
	s := sshtest.NewServer(t, func(s *sshtest.Server) {
		s.Env = append(append(os.Environ(), env...), "PATH="+bin+":"+os.Getenv("PATH"))
	})
	config, state := sshtest.ClientOf(t, "box", s).ConfigFile, t.TempDir()
	open := func() *engine.Engine {
		e, err := engine.New(engine.WithStateDir(state), engine.WithBackend(New(WithConfigFile(config), WithPatience(patient))))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	e := open()
	j, err := e.Start(t.Context(), engine.Spec{Script: "true", Host: "slurm:box"})
	e.Close()
	if err != nil {
		t.Fatal(err)
	}
	remote := strings.TrimPrefix(env[0], "HOB_STATE_DIR=")
	if err := os.MkdirAll(filepath.Join(remote, "jobs", string(j.ID), "claim"), 0o700); err != nil {
		t.Fatal(err)
	}
	// A job of a node, as far as its files show.
	sshtest.Write(t, filepath.Join(remote, "jobs", string(j.ID), "ready"), "")
	answered := func(state string, ago time.Duration) {
		comment, _ := os.ReadFile(filepath.Join(dir, "comment"))
		text := fmt.Sprintf("%d\n7|%s|%s|N/A|N/A|main|None|\n", time.Now().Add(-ago).Unix(), state, strings.TrimSpace(string(comment)))
		sshtest.Write(t, filepath.Join(remote, "jobs", ".squeue"), text)
	}
	for _, c := range []struct {
		name   string
		before func()
		link   engine.Link
		paused bool
		ago    time.Duration // for an unreachable job: how long ago Slurm last answered
	}{
		{"running", func() { write("state", "RUNNING") }, engine.LinkOK, false, 0},
		{"suspended unseen", func() { write("hangs", ""); write("state", "SUSPENDED"); answered("RUNNING", time.Hour) }, engine.LinkUnreachable, false, time.Hour},
		{"suspended, as another client saw", func() { write("hangs", ""); answered("SUSPENDED", time.Hour) }, engine.LinkUnreachable, true, time.Hour},
		{"suspended", func() { write("state", "SUSPENDED"); answered("RUNNING", 30*time.Second) }, engine.LinkOK, true, 0},
		{"controller hangs", func() { write("hangs", ""); os.Remove(filepath.Join(remote, "jobs", ".squeue")) }, engine.LinkUnreachable, true, 0},
		{"after an old answer", func() { write("hangs", ""); answered("RUNNING", time.Hour) }, engine.LinkUnreachable, true, time.Hour},
	} {
		c.before()
		e := open()
		got, err := e.Handle(j.ID).Facts(t.Context())
		if err != nil || got.Link != c.link || got.Paused != c.paused || got.Status != engine.Running {
			t.Errorf("%s: the job is %s (paused %v), link %s, %q, %v", c.name, got.Status, got.Paused, got.Link, got.LinkError, err)
		}
		if c.link == engine.LinkUnreachable && !strings.Contains(got.LinkError, "the cluster's controller does not answer") {
			t.Errorf("%s: the reason is %q", c.name, got.LinkError)
		}
		if ago := time.Since(got.StaleSince); c.ago > 0 && (ago < c.ago || ago > c.ago+patient) {
			t.Errorf("%s: unreachable since %v ago, Slurm answered %v ago", c.name, ago, c.ago)
		}
		os.Remove(filepath.Join(dir, "hangs"))
		e.Close()
	}
}

// No step can start on the node of a suspended job, so only Slurm is asked to end it.
func TestSuspendedJobIsCancelled(t *testing.T) {
	t.Parallel()
	dir, bin := t.TempDir(), t.TempDir()
	env := remoteEnv(t)
	remote := strings.TrimPrefix(env[0], "HOB_STATE_DIR=")
	for name, script := range map[string]string{
		"squeue":  fmt.Sprintf(fakeSqueue, dir),
		"sbatch":  fmt.Sprintf(fakeSbatch, dir),
		"scancel": "for d in " + remote + "/jobs/*/; do echo 143 >$d/exit_code; done",
		"srun":    "true >" + dir + "/entered",
	} {
		testtool.WriteScript(t, filepath.Join(bin, name), script)
	}
	sshtest.Write(t, filepath.Join(dir, "state"), "PENDING")
	s := sshtest.NewServer(t, func(s *sshtest.Server) {
		s.Env = append(append(os.Environ(), env...), "PATH="+bin+":"+os.Getenv("PATH"))
	})
	e, err := engine.New(engine.WithStateDir(t.TempDir()),
		engine.WithBackend(New(WithConfigFile(sshtest.ClientOf(t, "box", s).ConfigFile), WithPatience(patient))))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	j, err := e.Start(t.Context(), engine.Spec{Script: "true", Host: "slurm:box"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(remote, "jobs", string(j.ID), "claim"), 0o700); err != nil {
		t.Fatal(err)
	}
	sshtest.Write(t, filepath.Join(remote, "jobs", string(j.ID), "ready"), "")
	sshtest.Write(t, filepath.Join(dir, "state"), "SUSPENDED")
	if _, err := e.Handle(j.ID).Stop(t.Context(), engine.StopOptions{By: "test"}); err != nil {
		t.Fatal(err)
	}
	if j, err = e.Handle(j.ID).Facts(t.Context()); err != nil || j.Status != engine.Killed || j.Exit.EndedBy != "test" {
		t.Errorf("it is %s, ended by %q, %v", j.Status, j.Exit.EndedBy, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "entered")); err == nil {
		t.Error("hob tried to enter its node")
	}
}
