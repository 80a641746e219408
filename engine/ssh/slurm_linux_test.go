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
	"github.com/hobjobs/hob/engine/ssh/internal/judge"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/internal/slurmtest"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

// clusterTest is a test that shares its cluster with others.
type clusterTest struct {
	name string
	run  func(t *testing.T, cluster *slurmtest.Cluster)
}

// TestSlurm has the tests that leave the other jobs of the cluster alone.
func TestSlurm(t *testing.T) {
	t.Parallel()
	cluster := slurmtest.Start(t)
	for _, c := range []clusterTest{
		{"start cut at each step", testStartCutAtEachStep},
		{"job submitted during a look", testJobSubmittedDuringALook},
		{"waiting job is queued with the reason", testPending},
		{"terminal opened while the job waits", testTerminalOpenedWhileTheJobWaits},
		{"scancel outside hob is a kill by slurm", testScancel},
		{"signal of Slurm reaches the job", testSignalOfSlurm},
		{"sbatch that submits nothing", testSubmitsNothing},
		{"suspended job is paused", testSuspended},
		{"suspended job is killed", testKillSuspended},
		{"time limit of Slurm is a timeout", testTimeLimit},
		{"refused job leaves nothing", testRefused},
		{"options of the settings", testSettings},
		{"jobs without a record here are found", testFindsJobs},
		{"files of a node that are visible late", testLateFiles},
		{"job after another", testAfter},
		{"job after one that has ended", testAfterTheEnd},
		{"job after one that is stopped while it waits", testAfterAStoppedJob},
		{"jobs that cannot be followed", testCannotFollow},
		{"job that waits for input", testWaitsForInput},
		{"request after the end of the job", testRequestAfterTheEnd},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, cluster)
		})
	}
}

// TestSlurmFaults has the tests that concern all jobs of the cluster, one after another. It forgets
// ended jobs soon.
func TestSlurmFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("-short") // Slurm's own timeouts need most of its time
	}
	t.Parallel()
	cluster := slurmtest.Start(t, "MessageTimeout=3", "MinJobAge=2")
	for _, c := range []clusterTest{
		{"start without an answer", testStartWithoutAnswer},
		{"controller that does not answer is a problem of the link", testNoAnswer},
		{"end while the controller does not answer", testEndsUnseen},
		{"preempted job", testPreempted},
		{"job of a failed node", testNodeFailed},
		{"forgotten jobs are judged by their files", testForgotten},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, cluster) })
	}
}

func TestSlurmOutOfMemory(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "python3")
	e := onSlurm(t, slurmtest.StartWithMemoryLimits(t))
	j := submit(t, e, "exec python3 -c 'bytearray(400 << 20)'", "--mem=100")
	child := submit(t, e, "python3 -c 'bytearray(400 << 20)'; exit $?", "--mem=100")
	if j = waitUntil(t, e, j.ID, finished); j.Status != engine.Killed || j.Exit.Reason != engine.ReasonOOM || j.Exit.EndedBy != "slurm" || j.Exit.Signal != "SIGKILL" {
		t.Errorf("it ended as %s: %+v", j.Status, j.Exit)
	}
	child = waitUntil(t, e, child.ID, finished)
	if x := child.Exit; child.Status != engine.Exited || x.Code == nil || *x.Code != 137 || x.OOMKills != 1 || !strings.Contains(child.Ending(), "killed: out of memory)") {
		t.Errorf("one whose child ran out of memory ended as %s: %+v", child.Ending(), x)
	}
}

// onSlurm is an engine whose jobs run on cluster, through an SSH server that plays the login node.
func onSlurm(t *testing.T, cluster *slurmtest.Cluster, opts ...Option) *engine.Engine {
	t.Helper()
	e, _ := onSlurmIn(t, cluster, remoteEnv(t), opts...)
	return e
}

// onSlurmIn is onSlurm with more variables for the login node. It also returns the engine's backend.
func onSlurmIn(t *testing.T, cluster *slurmtest.Cluster, env []string, opts ...Option) (*engine.Engine, *Backend) {
	t.Helper()
	s := sshtest.NewServer(t, func(s *sshtest.Server) {
		s.Env = slices.Concat(os.Environ(), cluster.Env(), env)
	})
	c := sshtest.ClientOf(t, "box", s)
	b := New(append([]Option{WithConfigFile(c.ConfigFile), WithPatience(patient), func(b *Backend) { b.queueOften = time.Second }}, opts...)...)
	e, err := engine.New(engine.WithStateDir(t.TempDir()), engine.WithBackend(b))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e, b
}

// submit starts a script on a terminal, with options for sbatch.
func submit(t *testing.T, e *engine.Engine, script string, options ...string) engine.Job {
	t.Helper()
	testtool.Need(t, "script")
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
	done.Go(func() { e.Handle(id).Wait(ctx) })
	t.Cleanup(func() {
		stop()
		done.Wait()
	})
}

// slurmPatience bounds each wait for a cluster.
const slurmPatience = 3 * time.Minute

// waitUntil waits until the job satisfies is.
func waitUntil(t *testing.T, e *engine.Engine, id engine.ID, is func(engine.Job) bool) engine.Job {
	t.Helper()
	for end := time.Now().Add(slurmPatience); ; <-time.After(50 * time.Millisecond) {
		j, err := e.Handle(id).Facts(t.Context())
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
func testStartCutAtEachStep(t *testing.T, cluster *slurmtest.Cluster) {
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
func testStartWithoutAnswer(t *testing.T, cluster *slurmtest.Cluster) {
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
	j = waitUntil(t, e, j.ID, func(j engine.Job) bool { return j.Status.Finished() })
	ran, _ := os.ReadFile(mark)
	known := cluster.Run(t, "squeue", "-h", "-t", "all", "-n", string(j.ID), "-o", "%A %T")
	switch {
	case j.Status == engine.Exited && string(ran) == "x\n":
	case j.Status == engine.Failed && len(ran) == 0 && known == "":
	default:
		t.Errorf("the job is %+v and printed %q; Slurm has %q", j, ran, known)
	}
}

// A look may list the files of a job before it is submitted, and judge it once its starter has ended.
func testJobSubmittedDuringALook(t *testing.T, cluster *slurmtest.Cluster) {
	e, b := onSlurmIn(t, cluster, remoteEnv(t))
	j := submit(t, e, "echo ran", "--partition=shut")
	rec := engine.Record{ID: j.ID, Dir: filepath.Join(e.StateDir(), "jobs", string(j.ID)), Job: j}
	base, _ := dirAndName(b.HostDir(rec))
	var o engine.State
	b.host(j.Host).unstarted(t.Context(), base, &judge.Look{Record: rec, Entry: &recipe.Entry{Gone: true}}, &o)
	if o.Status != engine.Starting {
		t.Errorf("the job is %s: %+v", o.Status, o.Exit)
	}
	cluster.Run(t, "scontrol", "update", "jobid="+numberOf(t, cluster, j), "partition=main")
	watch(t, e, j.ID)
	if j = waitUntil(t, e, j.ID, func(j engine.Job) bool { return j.Status.Finished() }); j.Status != engine.Exited {
		t.Errorf("it ended as %s: %+v", j.Status, j.Exit)
	}
}
