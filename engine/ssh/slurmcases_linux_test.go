package ssh

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/slurmtest"
	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

func testPending(t *testing.T, cluster *slurmtest.Cluster) {
	e := onSlurm(t, cluster)
	j := submit(t, e, "echo never", "--partition=shut")
	j = waitUntil(t, e, j.ID, func(j engine.Job) bool { return j.Scheduled.Partition == "shut" })
	if j.Status != engine.Queued || j.Pending.Reason == "" || j.Scheduled.ID != numberOf(t, cluster, j) || !j.StartedAt.IsZero() {
		t.Errorf("the job is %s, %+v", j.Status, j.Pending)
	}
	term, err := e.Handle(j.ID).Terminal(t.Context(), engine.TerminalOptions{Control: true, Client: "test", Size: engine.Size{Cols: 50, Rows: 10}})
	if err != nil {
		t.Fatal(err)
	}
	defer term.Close()
	if chunk, err := term.Next(t.Context()); err != nil || !chunk.Reset || chunk.Exit != nil || !strings.Contains(string(chunk.Data), ", partition shut") {
		t.Errorf("its terminal begins with %+v, %v", chunk, err)
	}
	if err := term.Write(t.Context(), []byte("typed")); err != nil {
		t.Errorf("typing before it begins: %v", err)
	}
	err = e.Handle(j.ID).Write(t.Context(), []byte("x"))
	if hint, ok := errors.AsType[*engine.Error](err); !ok || !errors.Is(err, engine.ErrNotRunning) || !strings.Contains(hint.Hint, "it is queued") {
		t.Errorf("input for it: %v", err)
	}
	_, err = e.Remove(t.Context(), engine.RemoveOptions{}, j.ID)
	if hint, ok := errors.AsType[*engine.Error](err); !ok || !errors.Is(err, engine.ErrRunning) || !strings.Contains(hint.Hint, "it is queued on slurm:box; take it out of the queue first: hob kill "+string(j.ID)) {
		t.Errorf("clear of it: %v", err)
	}
	if err := e.StartQueued(t.Context(), engine.TurnNow, j.ID); !errors.Is(err, engine.ErrNotQueued) {
		t.Errorf("it is started beyond Slurm's queue: %v", err)
	}
	if err := term.Write(t.Context(), []byte("\x03")); err != nil { // Ctrl+C
		t.Fatal(err)
	}
	for chunk := (engine.TerminalChunk{}); chunk.Exit == nil; {
		if chunk, err = term.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	j = waitUntil(t, e, j.ID, is(engine.Killed))
	if j.Exit.Reason != engine.ReasonKill || j.Exit.EndedBy != "test" || j.Exit.Code != nil || j.Pending != nil {
		t.Errorf("it ended as %+v", j.Exit)
	}
	if state := cluster.Run(t, "squeue", "-h", "-t", "all", "-n", string(j.ID), "-o", "%T"); state != "CANCELLED" {
		t.Errorf("to Slurm it is %s", state)
	}
}

func testScancel(t *testing.T, cluster *slurmtest.Cluster) {
	e := onSlurm(t, cluster)
	j := submit(t, e, "sleep 300")
	watch(t, e, j.ID)
	j = waitUntil(t, e, j.ID, func(j engine.Job) bool { return j.Status == engine.Running && j.Scheduled.Partition == "main" })
	if j.Scheduled.ID != numberOf(t, cluster, j) || j.Scheduled.Node != cluster.Run(t, "squeue", "-h", "-n", string(j.ID), "-o", "%N") {
		t.Errorf("to Slurm it is %+v", j.Scheduled)
	}
	cluster.Run(t, "scancel", numberOf(t, cluster, j))
	j = waitUntil(t, e, j.ID, func(j engine.Job) bool { return j.Status.Finished() })
	if j.Status != engine.Killed || j.Exit.Reason != engine.ReasonKill || j.Exit.EndedBy != "slurm" || j.Exit.Signal != "SIGTERM" {
		t.Errorf("it ended as %+v", j.Exit)
	}
}

// Slurm sends a signal before the time limit where a user asks for that: sbatch --signal=B:USR1@60.
func testSignalOfSlurm(t *testing.T, cluster *slurmtest.Cluster) {
	e := onSlurm(t, cluster)
	trapped := filepath.Join(t.TempDir(), "trapped")
	j := submit(t, e, "trap 'exit 7' USR1; : >"+trapped+"; while :; do sleep 0.1; done")
	for end := time.Now().Add(slurmPatience); ; <-time.After(50 * time.Millisecond) {
		if _, err := os.Stat(trapped); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the job does not begin")
		}
	}
	cluster.Run(t, "scancel", "--batch", "--signal=USR1", numberOf(t, cluster, j))
	exitsWith7(t, e, j.ID)
}

// untilReleased submits a job that exits with 7 once release is called, and returns it when it runs.
func untilReleased(t *testing.T, e *engine.Engine) (j engine.Job, release func()) {
	t.Helper()
	gate := filepath.Join(testtool.TempDir(t), "go")
	j = submit(t, e, "until [ -e "+gate+" ]; do sleep 0.1; done; exit 7")
	watch(t, e, j.ID)
	waitUntil(t, e, j.ID, is(engine.Running))
	return j, func() {
		if err := os.WriteFile(gate, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func exitsWith7(t *testing.T, e *engine.Engine, id engine.ID) {
	t.Helper()
	if j := waitUntil(t, e, id, finished); j.Status != engine.Exited || j.Exit.Code == nil || *j.Exit.Code != 7 {
		t.Errorf("it ended as %s: %+v", j.Status, j.Exit)
	}
}

func testSuspended(t *testing.T, cluster *slurmtest.Cluster) {
	e := onSlurm(t, cluster)
	j, release := untilReleased(t, e)
	cluster.Run(t, "scontrol", "suspend", numberOf(t, cluster, j))
	waitUntil(t, e, j.ID, func(j engine.Job) bool { return j.Status == engine.Running && j.Paused })
	release()
	cluster.Run(t, "scontrol", "resume", numberOf(t, cluster, j))
	exitsWith7(t, e, j.ID)
}

func testKillSuspended(t *testing.T, cluster *slurmtest.Cluster) {
	e := onSlurm(t, cluster)
	j, _ := untilReleased(t, e)
	cluster.Run(t, "scontrol", "suspend", numberOf(t, cluster, j))
	waitUntil(t, e, j.ID, func(j engine.Job) bool { return j.Paused })
	if _, err := e.Handle(j.ID).Stop(t.Context(), engine.StopOptions{By: "test"}); err != nil {
		t.Fatal(err)
	}
	if j = waitUntil(t, e, j.ID, finished); j.Status != engine.Killed || j.Exit.EndedBy != "test" {
		t.Errorf("it ended as %s: %+v", j.Status, j.Exit)
	}
}

// testEndsUnseen ends jobs while the controller does not answer: its end is found afterwards, and the
// job is never reported as lost.
func testEndsUnseen(t *testing.T, cluster *slurmtest.Cluster) {
	e := onSlurm(t, cluster)
	j, release := untilReleased(t, e)
	answer := sync.OnceFunc(cluster.Hold())
	defer answer()
	waitUntil(t, e, j.ID, func(j engine.Job) bool { return j.Link == engine.LinkUnreachable })
	release()
	if j, err := e.Handle(j.ID).Facts(t.Context()); err != nil || j.Status == engine.Lost {
		t.Errorf("unanswered: %s, %v", j.Status, err)
	}
	answer()
	exitsWith7(t, e, j.ID)
}

func testNodeFailed(t *testing.T, cluster *slurmtest.Cluster) {
	e := onSlurm(t, cluster)
	j := submit(t, e, "sleep 300", "--nodelist=n2")
	waitUntil(t, e, j.ID, is(engine.Running))
	cluster.Run(t, "scontrol", "update", "nodename=n2", "state=down", "reason=test")
	j = waitUntil(t, e, j.ID, func(j engine.Job) bool { return j.Status.Finished() })
	if j.Exit.Reason != engine.ReasonNodeFailed {
		t.Errorf("it ended as %+v", j.Exit)
	}
}

func testNoAnswer(t *testing.T, cluster *slurmtest.Cluster) {
	e := onSlurm(t, cluster)
	j := submit(t, e, "sleep 300")
	watch(t, e, j.ID)
	waitUntil(t, e, j.ID, is(engine.Running))
	release := sync.OnceFunc(cluster.Hold())
	defer release()
	j = waitUntil(t, e, j.ID, func(j engine.Job) bool { return j.Link == engine.LinkUnreachable })
	if j.Status != engine.Running || !strings.HasSuffix(j.LinkError, "the cluster's controller does not answer") {
		t.Errorf("the job is %s, %q", j.Status, j.LinkError)
	}
	if _, err := e.Handle(j.ID).Stop(t.Context(), engine.StopOptions{Grace: -1}); !errors.Is(err, engine.ErrUnreachable) || !strings.HasSuffix(err.Error(), "the cluster's controller does not answer") {
		t.Errorf("kill: %v", err)
	}
	release()
	waitUntil(t, e, j.ID, func(j engine.Job) bool { return j.Link == engine.LinkOK && j.Status == engine.Running })
	if _, err := e.Handle(j.ID).Stop(t.Context(), engine.StopOptions{Grace: -1}); err != nil {
		t.Fatal(err)
	}
}

func testTimeLimit(t *testing.T, cluster *slurmtest.Cluster) {
	e := onSlurm(t, cluster)
	j, err := e.Start(t.Context(), engine.Spec{Script: "sleep 300", Host: "slurm:box", Timeout: 10 * time.Minute, Grace: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if limit := cluster.Run(t, "squeue", "-h", "-n", string(j.ID), "-o", "%l"); limit != "11:00" {
		t.Errorf("the limit of Slurm is %s", limit)
	}
	waitUntil(t, e, j.ID, is(engine.Running))
	// Slurm enforces limits every 30 s, so this takes as long.
	cluster.Run(t, "scontrol", "update", "jobid="+numberOf(t, cluster, j), "endtime=now+1")
	j = waitUntil(t, e, j.ID, func(j engine.Job) bool { return j.Status.Finished() })
	if j.Status != engine.Killed || j.Exit.Reason != engine.ReasonTimeout || j.Exit.EndedBy != "slurm" {
		t.Errorf("it ended as %s: %+v", j.Status, j.Exit)
	}
}

func testPreempted(t *testing.T, cluster *slurmtest.Cluster) {
	e := onSlurm(t, cluster)
	j := submit(t, e, "sleep 300", "--nodelist=n1", "--exclusive")
	waitUntil(t, e, j.ID, is(engine.Running))
	cluster.Run(t, "sbatch", "--partition=urgent", "--nodelist=n1", "--exclusive", "--output=/dev/null", "--wrap=true")
	j = waitUntil(t, e, j.ID, func(j engine.Job) bool { return j.Status.Finished() })
	if j.Status != engine.Killed || j.Exit.Reason != engine.ReasonPreempted || j.Exit.EndedBy != "slurm" {
		t.Errorf("it ended as %s: %+v", j.Status, j.Exit)
	}
}

func testSettings(t *testing.T, cluster *slurmtest.Cluster) {
	e := onSlurm(t, cluster, WithHostSettings(func(string) HostSettings { return HostSettings{Sbatch: []string{"-p", "shut"}} }))
	j := submit(t, e, "true")
	if j = waitUntil(t, e, j.ID, func(j engine.Job) bool { return j.Scheduled.Partition != "" }); j.Scheduled.Partition != "shut" {
		t.Errorf("without options the job waits in %s", j.Scheduled.Partition)
	}
	if j = submit(t, e, "true", "--partition=main"); waitUntil(t, e, j.ID, func(j engine.Job) bool { return j.Status.Finished() }).Status != engine.Exited {
		t.Errorf("with other options it did not run")
	}
}

// jobDirs returns the names of all job directories of the engine and of its login node.
func jobDirs(t *testing.T, e *engine.Engine, env []string) (names []string) {
	t.Helper()
	remote, _ := strings.CutPrefix(env[0], "HOB_STATE_DIR=")
	for _, dir := range []string{e.StateDir(), remote} {
		entries, err := os.ReadDir(filepath.Join(dir, "jobs"))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), ".") {
				names = append(names, e.Name())
			}
		}
	}
	return names
}

func testRefused(t *testing.T, cluster *slurmtest.Cluster) {
	env := remoteEnv(t)
	e, _ := onSlurmIn(t, cluster, env)
	for option, want := range map[string]string{
		"--partition=nowhere": "Invalid partition",
		"--mem=100T":          "node configuration is not available",
		"--nodes=3":           "Node count",
		"--partition=closed":  "account",
		"--no-such-option":    "unrecognized option",
		"--gres=gpu:1":        "Invalid generic resource",
		"--time=x":            "Invalid --time",
	} {
		_, err := e.Start(t.Context(), engine.Spec{Script: "true", Host: "slurm:box", SchedulerArgs: []string{option}})
		if err == nil || !strings.Contains(err.Error(), "Slurm does not accept the job: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, without %q", option, err, want)
		}
		if hint, ok := errors.AsType[*engine.Error](err); !ok || !strings.Contains(hint.Hint, "were: "+option) {
			t.Errorf("%s: the error does not name the options: %+v", option, hint)
		}
		if left := jobDirs(t, e, env); len(left) > 0 {
			t.Errorf("%s: it leaves %v", option, left)
		}
	}
}

// An sbatch of the site may print more than the number, or succeed without submitting anything.
func testSubmitsNothing(t *testing.T, cluster *slurmtest.Cluster) {
	sbatch, err := exec.LookPath("sbatch")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, sbatch string
		submits      bool
	}{
		{"it greets", "echo 'Welcome!'; exec " + sbatch + ` "$@"`, true},
		{"number before other text", sbatch + ` "$@"; echo 'Have a nice day!'`, true},
		{"only text", "echo 'Have a nice day!'", false},
		{"silent", "", false},
	} {
		env, bin := remoteEnv(t), t.TempDir()
		testtool.WriteScript(t, filepath.Join(bin, "sbatch"), c.sbatch)
		e, _ := onSlurmIn(t, cluster, append(env, "PATH="+bin+":"+os.Getenv("PATH")))
		j, err := e.Start(t.Context(), engine.Spec{Script: "true", Host: "slurm:box"})
		switch {
		case c.submits && err == nil:
			if j = waitUntil(t, e, j.ID, finished); j.Status != engine.Exited {
				t.Errorf("%s: it ended as %s: %+v", c.name, j.Status, j.Exit)
			}
		case c.submits, err == nil, !strings.Contains(err.Error(), "the answer of sbatch is"):
			t.Errorf("%s: the job is %s, the error is %v", c.name, j.Status, err)
		default:
			if left := jobDirs(t, e, env); len(left) > 0 {
				t.Errorf("%s: it leaves %v", c.name, left)
			}
		}
	}
}

func TestLoginNodeWithoutSlurm(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	for _, tool := range append(required(), "sh", "id", "setsid", "stat", "tail", "uname") {
		path, err := exec.LookPath(tool)
		if err == nil {
			err = os.Symlink(path, filepath.Join(bin, tool))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	fatal := "echo 'sbatch: fatal: Could not establish a configuration source' >&2; exit 1"
	for _, c := range []struct {
		name, program, want string // program is both sbatch and squeue
	}{
		{"no programs", "", "has no sbatch"},
		{"no configuration", fatal, "Slurm does not accept the job: Could not establish a configuration source"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, name := range []string{"sbatch", "squeue"} {
				if c.program != "" {
					testtool.WriteScript(t, filepath.Join(bin, name), c.program)
				}
			}
			env := remoteEnv(t)
			s := sshtest.NewServer(t, func(s *sshtest.Server) { s.Env = append(env, "PATH="+bin) })
			b := New(WithConfigFile(sshtest.ClientOf(t, "box", s).ConfigFile), WithPatience(patient))
			e, err := engine.New(engine.WithStateDir(t.TempDir()), engine.WithBackend(b))
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			if _, err := e.Start(t.Context(), engine.Spec{Script: "true", Host: "slurm:box"}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v", err)
			}
			if left := jobDirs(t, e, env); len(left) > 0 {
				t.Errorf("it leaves %v", left)
			}
		})
	}
}
