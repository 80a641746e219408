package ssh

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/enginetest"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/internal/slurmtest"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

func TestConformanceOnSlurm(t *testing.T) {
	cluster := slurmtest.Start(t)
	enginetest.Run(t, func(t *testing.T) enginetest.Config {
		s := sshtest.NewServer(t, func(s *sshtest.Server) {
			s.Env = append(append(os.Environ(), remoteEnv(t)...), cluster.Env()...)
		})
		cfg := onHost(sshtest.ClientOf(t, "box", s))
		cfg.Host, cfg.Queues = "slurm:box", true
		cfg.Cut = func(*testing.T) func() {
			s.SetDown(true)
			return func() { s.SetDown(false) }
		}
		return cfg
	})
}

// onSlurm is an engine whose jobs run on cluster, through an SSH server that plays the login node.
func onSlurm(t *testing.T, cluster *slurmtest.Cluster) *engine.Engine {
	t.Helper()
	s := sshtest.NewServer(t, func(s *sshtest.Server) {
		s.Env = append(append(os.Environ(), remoteEnv(t)...), cluster.Env()...)
	})
	c := sshtest.ClientOf(t, "box", s)
	e, err := engine.New(engine.WithStateDir(t.TempDir()), engine.WithBackend(New(WithConfigFile(c.ConfigFile), WithPatience(patient))))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// submit starts a script on a terminal, with options for sbatch.
func submit(t *testing.T, e *engine.Engine, script string, options ...string) engine.Job {
	t.Helper()
	j, err := e.Start(t.Context(), engine.Spec{Script: script, Host: "slurm:box", SchedulerArgs: options, Grace: 2 * time.Second, PTY: true})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// watch has the scheduler asked about the job as often as while a client watches it.
func watch(t *testing.T, e *engine.Engine, id engine.ID) {
	ctx, stop := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { e.Wait(ctx, id) })
	t.Cleanup(func() {
		stop()
		done.Wait()
	})
}

// slurmPatience bounds each wait for a cluster.
const slurmPatience = 3 * time.Minute

// when waits until the job is as it should be.
func when(t *testing.T, e *engine.Engine, id engine.ID, is func(engine.Job) bool) engine.Job {
	t.Helper()
	for end := time.Now().Add(slurmPatience); ; <-time.After(50 * time.Millisecond) {
		j, err := e.Get(t.Context(), string(id))
		if err == nil && is(j) {
			return j
		}
		if time.Now().After(end) {
			t.Fatalf("the job is %+v, %v", j, err)
		}
	}
}

func is(status engine.Status) func(engine.Job) bool {
	return func(j engine.Job) bool { return j.Status == status }
}

func numberOf(t *testing.T, cluster *slurmtest.Cluster, j engine.Job) string {
	t.Helper()
	number := cluster.Run(t, "squeue", "-h", "-t", "all", "-n", string(j.ID), "-o", "%A")
	if strings.Count(number, "\n") > 0 || number == "" {
		t.Fatalf("Slurm has the jobs %q for %s", number, j.ID)
	}
	return number
}

// However often a submission is cut off, Slurm has the job once and runs it once.
func TestSlurmStartCutAtEachStep(t *testing.T) {
	cluster := slurmtest.Start(t)
	r := newRig(t, func(s *sshtest.Server) { s.Env = append(s.Env, cluster.Env()...) })
	r.host = "slurm:box"
	steps := []string{"", "token", "batch", "submit", ".sbatch", "slurm", "claim", "ready", "exit_code"}
	r.cutAtEach(steps...)
	r.open()
	jobs, err := r.e.List(t.Context(), engine.Filter{})
	if err != nil || len(jobs) != len(steps) {
		t.Fatalf("there are %d jobs for %d steps: %v", len(jobs), len(steps), err)
	}
	for _, j := range jobs {
		numberOf(t, cluster, j)
	}
}

// While the controller does not answer, sbatch fails although Slurm gets the request.
func TestSlurmStartWithoutAnswer(t *testing.T) {
	cluster := slurmtest.Start(t)
	e := onSlurm(t, cluster)
	mark := filepath.Join(t.TempDir(), "ran")
	release := sync.OnceFunc(cluster.Hold())
	defer release()
	j := submit(t, e, "echo x >>"+mark)
	if j.Status.Finished() {
		t.Fatalf("the job is %+v", j)
	}
	release()
	watch(t, e, j.ID)
	j = when(t, e, j.ID, func(j engine.Job) bool { return j.Status.Finished() })
	ran, _ := os.ReadFile(mark)
	if known := cluster.Run(t, "squeue", "-h", "-t", "all", "-n", string(j.ID), "-o", "%A"); known == "" {
		if j.Status != engine.Failed || len(ran) > 0 {
			t.Errorf("Slurm does not know the job, which is %+v and printed %q", j, ran)
		}
	} else if numberOf(t, cluster, j); j.Status != engine.Exited || string(ran) != "x\n" {
		t.Errorf("Slurm has the job, which is %+v and printed %q", j, ran)
	}
}

// A look may list the files of a job before it is submitted, and judge it once its starter has ended.
func TestSlurmJobSubmittedDuringALook(t *testing.T) {
	cluster := slurmtest.Start(t)
	s := sshtest.NewServer(t, func(s *sshtest.Server) {
		s.Env = append(append(os.Environ(), remoteEnv(t)...), cluster.Env()...)
	})
	b := New(WithConfigFile(sshtest.ClientOf(t, "box", s).ConfigFile), WithPatience(patient))
	state := t.TempDir()
	e, err := engine.New(engine.WithStateDir(state), engine.WithBackend(b))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	j := submit(t, e, "echo ran", "--partition=shut")
	rec := engine.Record{ID: j.ID, Dir: filepath.Join(state, "jobs", string(j.ID)), Job: j}
	base, _ := dirAndName(b.HostDir(rec))
	var o engine.State
	b.host(j.Host).unstarted(t.Context(), base, rec, &recipe.Entry{Gone: true}, &o)
	if o.Status != engine.Starting {
		t.Errorf("the job is %s: %+v", o.Status, o.Exit)
	}
	cluster.Run(t, "scontrol", "update", "jobid="+numberOf(t, cluster, j), "partition=main")
	watch(t, e, j.ID)
	if j = when(t, e, j.ID, func(j engine.Job) bool { return j.Status.Finished() }); j.Status != engine.Exited {
		t.Errorf("it ended as %s: %+v", j.Status, j.Exit)
	}
}

func TestSlurm(t *testing.T) {
	testtool.Need(t, "script") // its jobs have terminals
	cluster := slurmtest.Start(t)
	e := onSlurm(t, cluster)

	t.Run("a waiting job is queued with the reason", func(t *testing.T) {
		j := submit(t, e, "echo never", "--partition=shut")
		j = when(t, e, j.ID, func(j engine.Job) bool { return j.Pending != nil && j.Pending.Partition == "shut" })
		if j.Status != engine.Queued || j.Pending.Reason == "" || j.Pending.SchedulerID != numberOf(t, cluster, j) || !j.StartedAt.IsZero() {
			t.Errorf("the job is %s, %+v", j.Status, j.Pending)
		}
		term, err := e.OpenTerminal(t.Context(), j.ID, engine.TerminalOptions{Control: true, Client: "test"})
		if err != nil {
			t.Fatal(err)
		}
		defer term.Close()
		if chunk, err := term.Next(t.Context()); err != nil || !chunk.Reset || chunk.Exit != nil {
			t.Errorf("its terminal begins with %+v, %v", chunk, err)
		}
		if _, err := e.Stop(t.Context(), j.ID, engine.StopOptions{By: "test"}); err != nil {
			t.Fatal(err)
		}
		j = when(t, e, j.ID, is(engine.Killed))
		if j.Exit.Reason != engine.ReasonKill || j.Exit.EndedBy != "test" || j.Exit.Code != nil || j.Pending != nil {
			t.Errorf("it ended as %+v", j.Exit)
		}
		if state := cluster.Run(t, "squeue", "-h", "-t", "all", "-n", string(j.ID), "-o", "%T"); state != "CANCELLED" {
			t.Errorf("to Slurm it is %s", state)
		}
	})

	t.Run("scancel by somebody else is a kill by slurm", func(t *testing.T) {
		j := submit(t, e, "sleep 300")
		when(t, e, j.ID, is(engine.Running))
		cluster.Run(t, "scancel", numberOf(t, cluster, j))
		j = when(t, e, j.ID, func(j engine.Job) bool { return j.Status.Finished() })
		if j.Status != engine.Killed || j.Exit.Reason != engine.ReasonKill || j.Exit.EndedBy != "slurm" || j.Exit.Signal != "SIGTERM" {
			t.Errorf("it ended as %+v", j.Exit)
		}
	})

	t.Run("a suspended job is paused", func(t *testing.T) {
		j := submit(t, e, "sleep 300")
		watch(t, e, j.ID)
		when(t, e, j.ID, is(engine.Running))
		cluster.Run(t, "scontrol", "suspend", numberOf(t, cluster, j))
		when(t, e, j.ID, func(j engine.Job) bool { return j.Status == engine.Running && j.Paused })
		cluster.Run(t, "scontrol", "resume", numberOf(t, cluster, j))
		if _, err := e.Kill(t.Context(), j.ID); err != nil {
			t.Fatal(err)
		}
	})

	t.Run("a job of a failed node says so", func(t *testing.T) {
		j := submit(t, e, "sleep 300", "--nodelist=n2")
		when(t, e, j.ID, is(engine.Running))
		cluster.Run(t, "scontrol", "update", "nodename=n2", "state=down", "reason=test")
		j = when(t, e, j.ID, func(j engine.Job) bool { return j.Status.Finished() })
		if j.Exit.Reason != engine.ReasonNodeFailed {
			t.Errorf("it ended as %+v", j.Exit)
		}
	})

	t.Run("what Slurm refuses is an error that leaves nothing", func(t *testing.T) {
		for _, o := range []string{"--partition=nowhere", "--mem=100T"} {
			_, err := e.Start(t.Context(), engine.Spec{Script: "true", Host: "slurm:box", Name: "refused", SchedulerArgs: []string{o}})
			if err == nil || !strings.Contains(err.Error(), "Slurm does not accept the job") {
				t.Errorf("%s: %v", o, err)
			}
		}
		jobs, err := e.List(t.Context(), engine.Filter{})
		if err != nil || slices.ContainsFunc(jobs, func(j engine.Job) bool { return j.Name == "refused" }) {
			t.Errorf("%+v, %v", jobs, err)
		}
	})

	t.Run("a controller that does not answer is a problem of the link", func(t *testing.T) {
		j := submit(t, e, "sleep 300")
		watch(t, e, j.ID)
		when(t, e, j.ID, is(engine.Running))
		release := sync.OnceFunc(cluster.Hold())
		defer release()
		j = when(t, e, j.ID, func(j engine.Job) bool { return j.Link == engine.LinkUnreachable })
		if j.Status != engine.Running || j.LinkError == "" {
			t.Errorf("the job is %s, %q", j.Status, j.LinkError)
		}
		release()
		when(t, e, j.ID, func(j engine.Job) bool { return j.Link == engine.LinkOK && j.Status == engine.Running })
		if _, err := e.Kill(t.Context(), j.ID); err != nil {
			t.Fatal(err)
		}
	})
}
