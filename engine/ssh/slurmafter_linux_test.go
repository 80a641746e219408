package ssh

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/internal/slurmtest"
	"github.com/hobjobs/hob/internal/sshtest"
)

// following starts a script on the cluster after other jobs.
func following(t *testing.T, e *engine.Engine, script string, after, afterAny []engine.ID) engine.Job {
	t.Helper()
	j, err := e.Start(t.Context(), engine.Spec{Script: script, Host: "slurm:box", After: after, AfterAny: afterAny, Grace: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// gated starts a script on the cluster that begins when open is called.
func gated(t *testing.T, e *engine.Engine, script string) (j engine.Job, open func()) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "open")
	j = following(t, e, "until test -e "+file+"; do sleep 0.05; done; "+script, nil, nil)
	return j, func() { sshtest.Write(t, file, "") }
}

func finished(j engine.Job) bool { return j.Status.Finished() }

// expectDependency expects that the job was not started because of the end of another.
func expectDependency(t *testing.T, j engine.Job, because string) {
	t.Helper()
	if x := j.Exit; j.Status != engine.Failed || x.Reason != engine.ReasonDependency || x.Error != because || x.Code != nil || !j.StartedAt.IsZero() || j.Pending != nil {
		t.Errorf("%s ended as %s, %+v instead of %q", j.ID, j.Status, x, because)
	}
}

func testAfter(t *testing.T, cluster *slurmtest.Cluster) {
	e := onSlurm(t, cluster)
	good, openGood := gated(t, e, "exit 0")
	bad, openBad := gated(t, e, "exit 3")
	afterGood := following(t, e, "exit 0", []engine.ID{good.ID}, nil)
	afterBad := following(t, e, "exit 0", []engine.ID{good.ID, bad.ID}, nil)
	afterAny := following(t, e, "exit 0", []engine.ID{good.ID}, []engine.ID{bad.ID})
	last := following(t, e, "exit 0", []engine.ID{afterBad.ID}, nil)
	for _, j := range []engine.Job{afterGood, last} {
		watch(t, e, j.ID)
		waitUntil(t, e, j.ID, func(now engine.Job) bool {
			p := now.Pending
			return p != nil && now.Scheduled.Partition == "main" && slices.Equal(p.After, j.After) && p.Reason == "after "+string(j.After[0])
		})
	}
	openGood()
	if j := waitUntil(t, e, afterGood.ID, finished); j.Status != engine.Exited {
		t.Errorf("the job after a success is %s: %+v", j.Status, j.Exit)
	}
	if j, err := e.Handle(afterAny.ID).Facts(t.Context()); err != nil || j.Status != engine.Queued {
		t.Errorf("with one of its jobs left, it is %s: %v", j.Status, err)
	}
	openBad()
	if j := waitUntil(t, e, afterAny.ID, finished); j.Status != engine.Exited {
		t.Errorf("the job after any end is %s: %+v", j.Status, j.Exit)
	}
	because := string(bad.ID) + " exited 3"
	expectDependency(t, waitUntil(t, e, afterBad.ID, finished), because)
	expectDependency(t, waitUntil(t, e, last.ID, finished), string(afterBad.ID)+" was not started: "+because)
}

func testAfterTheEnd(t *testing.T, cluster *slurmtest.Cluster) {
	env := remoteEnv(t)
	e, _ := onSlurmIn(t, cluster, env)
	good, bad := following(t, e, "exit 0", nil, nil), following(t, e, "exit 3", nil, nil)
	waitUntil(t, e, good.ID, finished)
	waitUntil(t, e, bad.ID, finished)
	j := following(t, e, "exit 0", []engine.ID{good.ID}, []engine.ID{bad.ID})
	if dependency := cluster.Run(t, "squeue", "-h", "-t", "all", "-n", string(j.ID), "-o", "%E"); dependency != "(null)" {
		t.Errorf("for Slurm it depends on %s", dependency)
	}
	if j = waitUntil(t, e, j.ID, finished); j.Status != engine.Exited {
		t.Errorf("the job after the ends is %s: %+v", j.Status, j.Exit)
	}
	if _, err := e.Remove(t.Context(), engine.RemoveOptions{}, bad.ID); err != nil {
		t.Fatal(err)
	}
	j = following(t, e, "exit 0", []engine.ID{bad.ID}, nil)
	expectDependency(t, j, string(bad.ID)+" exited 3")
	if number := cluster.Run(t, "squeue", "-h", "-t", "all", "-n", string(j.ID), "-o", "%A"); number != "" {
		t.Errorf("it was submitted as %s", number)
	}
}

func testAfterAStoppedJob(t *testing.T, cluster *slurmtest.Cluster) {
	e := onSlurm(t, cluster)
	first := submit(t, e, "true", "--partition=shut")
	failed := following(t, e, "exit 0", []engine.ID{first.ID}, nil)
	ran := following(t, e, "exit 0", nil, []engine.ID{first.ID})
	watch(t, e, failed.ID)
	if _, err := e.Handle(first.ID).Stop(t.Context(), engine.StopOptions{By: "test"}); err != nil {
		t.Fatal(err)
	}
	expectDependency(t, waitUntil(t, e, failed.ID, finished), string(first.ID)+" stopped by test before it started")
	if j := waitUntil(t, e, ran.ID, finished); j.Status != engine.Exited {
		t.Errorf("the job after any end is %s: %+v", j.Status, j.Exit)
	}
}

func testCannotFollow(t *testing.T, cluster *slurmtest.Cluster) {
	e := onSlurm(t, cluster)
	plain, err := e.Start(t.Context(), engine.Spec{Script: "sleep 300", Host: "box"})
	if err != nil {
		t.Fatal(err)
	}
	here, _ := gated(t, e, "exit 0")
	for name, c := range map[string]struct {
		spec engine.Spec
		want error
	}{
		"of another host":                {engine.Spec{Host: "slurm:box", After: []engine.ID{plain.ID}}, engine.ErrInvalid},
		"without a cluster and a holder": {engine.Spec{Host: "box", After: []engine.ID{plain.ID}}, engine.ErrUnsupported},
		"beside --depend":                {engine.Spec{Host: "slurm:box", After: []engine.ID{here.ID}, SchedulerArgs: []string{"--depend=afterok:1"}}, engine.ErrInvalid},
		"and wait in queues":             {engine.Spec{Host: "slurm:box", Queue: "default"}, engine.ErrInvalid},
	} {
		c.spec.Script = "true"
		if _, err := e.Start(t.Context(), c.spec); !errors.Is(err, c.want) {
			t.Errorf("%s: the error is %v, want %v", name, err, c.want)
		}
	}
	for _, j := range []engine.Job{plain, here} {
		if _, err := e.Handle(j.ID).Stop(t.Context(), engine.StopOptions{Grace: -1}); err != nil {
			t.Error(err)
		}
	}
}

// Slurm takes the number of a job that it has forgotten for that of a success.
func testForgotten(t *testing.T, cluster *slurmtest.Cluster) {
	e := onSlurm(t, cluster)
	ended := following(t, e, "exit 5", nil, nil)
	bad, open := gated(t, e, "exit 3")
	after := following(t, e, "exit 0", []engine.ID{bad.ID}, nil)
	open()
	cluster.Forgotten(t, string(ended.ID), string(bad.ID), string(after.ID))
	expectDependency(t, waitUntil(t, e, after.ID, finished), string(bad.ID)+" exited 3")
	late := following(t, e, "exit 0", []engine.ID{ended.ID}, nil)
	expectDependency(t, late, string(ended.ID)+" exited 5")
	if j := waitUntil(t, e, ended.ID, finished); j.Status != engine.Exited || j.Exit.Code == nil || *j.Exit.Code != 5 {
		t.Errorf("the forgotten job ended as %s: %+v", j.Status, j.Exit)
	}
}

// The job may end between the look that found it running and a request on its node.
func testRequestAfterTheEnd(t *testing.T, cluster *slurmtest.Cluster) {
	e, b := onSlurmIn(t, cluster, remoteEnv(t))
	j, open := gated(t, e, "exit 0")
	j = waitUntil(t, e, j.ID, is(engine.Running))
	h, dir := b.host(j.Host), b.HostDir(engine.Record{ID: j.ID, Job: j})
	before, err := h.entryOf(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	open()
	waitUntil(t, e, j.ID, finished)
	for end := time.Now().Add(slurmPatience); cluster.Run(t, "squeue", "-h", "-n", string(j.ID)) != ""; <-time.After(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the job does not leave Slurm's queue")
		}
	}
	if a, err := h.onNode(t.Context(), before, dir, recipe.Signal(dir, remoteID(dir), "TERM", "test"), askLimit); err != nil || wordOf(a.Out) != "over" {
		t.Errorf("the answer is %q, %v", a.Out, err)
	}
	// A request that had begun may have had an effect.
	if err := os.WriteFile(filepath.Join(dir, ".asked.1.begun"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for mark, over := range map[string]bool{"begun": false, "other": true} {
		if h.overBefore(context.WithoutCancel(t.Context()), dir, mark) != over {
			t.Errorf("the request with the mark %s: over before is not %v", mark, over)
		}
	}
}
