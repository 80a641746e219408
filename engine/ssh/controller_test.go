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

// controller is a cluster of those programs, with one job that runs as far as its files show.
type controller struct {
	dir, jobs     string // of the programs, and of the jobs on the login node
	config, state string
	job           engine.ID
	backend       *Backend // of the last engine
}

func newController(t *testing.T) *controller {
	bin, env := t.TempDir(), remoteEnv(t)
	c := &controller{
		dir:   t.TempDir(),
		jobs:  filepath.Join(strings.TrimPrefix(env[0], "HOB_STATE_DIR="), "jobs"),
		state: t.TempDir(),
	}
	testtool.WriteScript(t, filepath.Join(bin, "squeue"), fmt.Sprintf(fakeSqueue, c.dir))
	testtool.WriteScript(t, filepath.Join(bin, "sbatch"), fmt.Sprintf(fakeSbatch, c.dir))
	c.write(t, "state", "PENDING")
	s := sshtest.NewServer(t, func(s *sshtest.Server) {
		s.Env = append(append(os.Environ(), env...), "PATH="+bin+":"+os.Getenv("PATH"))
	})
	c.config = sshtest.ClientOf(t, "box", s).ConfigFile
	e := c.open(t)
	defer e.Close()
	j, err := e.Start(t.Context(), engine.Spec{Script: "true", Host: "slurm:box"})
	if err != nil {
		t.Fatal(err)
	}
	c.job = j.ID
	if err := os.MkdirAll(filepath.Join(c.jobs, string(j.ID), "claim"), 0o700); err != nil {
		t.Fatal(err)
	}
	sshtest.Write(t, filepath.Join(c.jobs, string(j.ID), "ready"), "")
	return c
}

func (c *controller) open(t *testing.T, options ...Option) *engine.Engine {
	options = append(options, WithConfigFile(c.config), WithPatience(patient))
	c.backend = New(options...)
	e, err := engine.New(engine.WithStateDir(c.state), engine.WithBackend(c.backend))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// look returns the facts of the job. If the controller is to be reachable it may be slow.
func (c *controller) look(t *testing.T, e *engine.Engine, want engine.Link) (engine.Job, error) {
	for end := time.Now().Add(patient); ; {
		j, err := e.Handle(c.job).Facts(t.Context())
		settled := want != engine.LinkOK || j.Link == want
		if settled || err != nil || time.Now().After(end) {
			return j, err
		}
	}
}

func (c *controller) write(t *testing.T, name, text string) {
	sshtest.Write(t, filepath.Join(c.dir, name), text)
}

func (c *controller) hang(t *testing.T) { c.write(t, "hangs", "") }
func (c *controller) forget()           { os.Remove(filepath.Join(c.jobs, ".squeue")) }

// resume returns when the controller has answered what it was asked while it hung.
func (c *controller) resume(t *testing.T) {
	os.Remove(filepath.Join(c.dir, "hangs"))
	h := c.backend.host("slurm:box")
	h.mu.Lock()
	asking := h.queue.asking
	h.mu.Unlock()
	if asking == nil {
		return
	}
	select {
	case <-asking:
	case <-time.After(patient):
		t.Error("the controller has not answered")
	}
}

// answered is the last answer to any client.
func (c *controller) answered(t *testing.T, state string, ago time.Duration) {
	comment, _ := os.ReadFile(filepath.Join(c.dir, "comment"))
	text := fmt.Sprintf("%d\n7|%s|%s|N/A|N/A|main|None|\n", time.Now().Add(-ago).Unix(), state, strings.TrimSpace(string(comment)))
	sshtest.Write(t, filepath.Join(c.jobs, ".squeue"), text)
}

// A command looks at a job once. What it reports about Slurm is from now, or from a moment ago.
func TestCommandReportsTheController(t *testing.T) {
	t.Parallel()
	slurm := newController(t)
	for _, c := range []struct {
		name   string
		before func()
		link   engine.Link
		paused bool
		ago    time.Duration // for an unreachable job: how long ago Slurm last answered
	}{
		{"running", func() { slurm.write(t, "state", "RUNNING") }, engine.LinkOK, false, 0},
		{"suspended unseen", func() { slurm.hang(t); slurm.write(t, "state", "SUSPENDED"); slurm.answered(t, "RUNNING", time.Hour) }, engine.LinkUnreachable, false, time.Hour},
		{"suspended, as another client saw", func() { slurm.hang(t); slurm.answered(t, "SUSPENDED", time.Hour) }, engine.LinkUnreachable, true, time.Hour},
		{"suspended", func() { slurm.write(t, "state", "SUSPENDED"); slurm.answered(t, "RUNNING", 30*time.Second) }, engine.LinkOK, true, 0},
		{"controller hangs", func() { slurm.hang(t); slurm.forget() }, engine.LinkUnreachable, true, 0},
		{"after an old answer", func() { slurm.hang(t); slurm.answered(t, "RUNNING", time.Hour) }, engine.LinkUnreachable, true, time.Hour},
	} {
		c.before()
		e := slurm.open(t)
		got, err := slurm.look(t, e, c.link)
		if err != nil || got.Link != c.link || got.Paused != c.paused || got.Status != engine.Running {
			t.Errorf("%s: the job is %s (paused %v), link %s, %q, %v", c.name, got.Status, got.Paused, got.Link, got.LinkError, err)
		}
		if c.link == engine.LinkUnreachable && !strings.Contains(got.LinkError, "the cluster's controller does not answer") {
			t.Errorf("%s: the reason is %q", c.name, got.LinkError)
		}
		if ago := time.Since(got.StaleSince); c.ago > 0 && (ago < c.ago || ago > c.ago+patient) {
			t.Errorf("%s: unreachable since %v ago, Slurm answered %v ago", c.name, ago, c.ago)
		}
		slurm.resume(t)
		e.Close()
	}
}

// A program that looks again after a while learns what Slurm says then.
func TestLaterLookAsksTheController(t *testing.T) {
	t.Parallel()
	slurm := newController(t)
	slurm.write(t, "state", "RUNNING")
	e := slurm.open(t, func(b *Backend) { b.queueOften = time.Millisecond })
	defer e.Close()
	look := func(want engine.Link) engine.Job {
		j, err := slurm.look(t, e, want)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	first := time.Now()
	if j := look(engine.LinkOK); j.Link != engine.LinkOK || j.Paused {
		t.Fatalf("running: link %s (%s), paused %v", j.Link, j.LinkError, j.Paused)
	}
	known := time.Now()
	slurm.write(t, "state", "SUSPENDED")
	slurm.hang(t)
	j := look(engine.LinkUnreachable)
	if j.Link != engine.LinkUnreachable || j.Status != engine.Running {
		t.Errorf("suspended unseen: %s, link %s (%s)", j.Status, j.Link, j.LinkError)
	}
	// The host's clock has a resolution of one second.
	if since := j.StaleSince; since.Before(first.Add(-2*time.Second)) || since.After(known.Add(2*time.Second)) {
		t.Errorf("unreachable since %v, Slurm answered between %v and %v", since, first, known)
	}
	slurm.resume(t)
	if j = look(engine.LinkOK); j.Link != engine.LinkOK || !j.Paused {
		t.Errorf("Slurm answers that the job is suspended: link %s (%s), paused %v", j.Link, j.LinkError, j.Paused)
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
