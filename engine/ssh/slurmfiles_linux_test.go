package ssh

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/slurmtest"
)

// A client with no records of the jobs of a cluster finds all of them: those that wait, that run on a
// node, and that have ended there.
func testFindsJobs(t *testing.T, cluster *slurmtest.Cluster) {
	env := remoteEnv(t)
	first, _ := onSlurmIn(t, cluster, env)
	want := map[engine.ID]engine.Status{
		submit(t, first, "echo never", "--partition=shut").ID: engine.Queued,
		submit(t, first, "sleep 300").ID:                      engine.Running,
		submit(t, first, "exit 0").ID:                         engine.Exited,
	}
	for id, status := range want {
		watch(t, first, id)
		waitUntil(t, first, id, is(status))
	}
	second, _ := onSlurmIn(t, cluster, env)
	if err := second.Adopt(t.Context(), "slurm:box"); err != nil {
		t.Fatal(err)
	}
	found, err := second.List(t.Context(), engine.Filter{Host: "slurm:box"})
	if err != nil || len(found) != len(want) {
		t.Errorf("it finds %d jobs: %v", len(found), err)
	}
	for _, j := range found {
		// A cluster that is slow to answer leaves the job as it was last seen.
		waitUntil(t, second, j.ID, func(j engine.Job) bool {
			return j.StaleSince.IsZero() && j.Status == want[j.ID]
		})
	}
}

// Over NFS the login node may see late what a node has written, also the record of an end that Slurm
// already reports.
func testLateFiles(t *testing.T, cluster *slurmtest.Cluster) {
	env := remoteEnv(t)
	remote, _ := strings.CutPrefix(env[0], "HOB_STATE_DIR=")
	jobs := filepath.Join(remote, "jobs")
	if err := os.MkdirAll(jobs, 0o700); err != nil {
		t.Fatal(err)
	}
	show := cluster.Hide(t, "n1", jobs)
	e, b := onSlurmIn(t, cluster, env)
	j := submit(t, e, "exit 3", "--nodelist=n1")
	for end := time.Now().Add(slurmPatience); ; <-time.After(50 * time.Millisecond) {
		if cluster.Run(t, "squeue", "-h", "-t", "all", "-n", string(j.ID), "-o", "%T") == "FAILED" {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the job does not end")
		}
	}
	if err := os.Remove(filepath.Join(jobs, ".squeue")); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err) // an answer from before the end
	}
	b.host(j.Host).forgetQueue()
	if j, err := e.Handle(j.ID).Facts(t.Context()); err != nil || j.Status != engine.Starting {
		t.Errorf("before its files are visible it is %s: %+v, %v", j.Status, j.Exit, err)
	}
	show()
	if j = waitUntil(t, e, j.ID, finished); j.Status != engine.Exited || j.Exit.Code == nil || *j.Exit.Code != 3 {
		t.Errorf("it ended as %s: %+v", j.Status, j.Exit)
	}
}
