package cli

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
)

func TestHostNews(t *testing.T) {
	job := func(status engine.Status, why string) (j engine.Job) {
		j.ID, j.Host, j.Status = "make-a1b2c", "slurm:box", status
		if why != "" {
			j.Pending = &engine.Pending{Reason: why}
		}
		return j
	}
	unreachable := func(j engine.Job) engine.Job {
		j.Link, j.LinkError = engine.LinkUnreachable, "Slurm does not answer: timed out"
		return j
	}
	cut := fmt.Errorf("read: box: %w", engine.ErrUnreachable)
	var n hostNews
	for i, c := range []struct {
		job  engine.Job
		err  error
		want []string
	}{
		{job(engine.Starting, ""), nil, nil},
		{unreachable(job(engine.Starting, "")), nil, []string{"slurm:box: Slurm does not answer: timed out; whether make-a1b2c has started is known when the host is reachable"}},
		{unreachable(job(engine.Starting, "")), nil, nil},
		{job(engine.Queued, "Priority"), nil, []string{"reconnected to slurm:box", "make-a1b2c is queued: Priority"}},
		{job(engine.Queued, "Priority"), nil, nil},
		{job(engine.Queued, "Resources"), nil, []string{"make-a1b2c is queued: Resources"}},
		{unreachable(job(engine.Queued, "Resources")), nil, []string{"slurm:box: Slurm does not answer: timed out; make-a1b2c was queued when the host was last reachable"}},
		{job(engine.Running, ""), nil, []string{"reconnected to slurm:box"}},
		{job(engine.Running, ""), cut, []string{cut.Error() + "; make-a1b2c keeps running. Its output continues when the host is reachable"}},
		// The facts of the job may be older than the error.
		{job(engine.Running, ""), cut, nil},
		{unreachable(job(engine.Running, "")), nil, nil},
		{job(engine.Exited, ""), nil, []string{"reconnected to slurm:box"}},
	} {
		if diff := cmp.Diff(c.want, n.of(c.job, c.err)); diff != "" {
			t.Errorf("step %d (-want +got):\n%s", i, diff)
		}
	}
}
