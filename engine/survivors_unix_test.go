//go:build linux || darwin

package engine

import (
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/proc"
)

// A process that has ended since the job's end is not a survivor, whether or not it was reaped.
func TestEndedSurvivors(t *testing.T) {
	lives, zombie, gone := exec.Command("sleep", "1000"), exec.Command("true"), exec.Command("true")
	for _, cmd := range []*exec.Cmd{lives, zombie, gone} {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		_ = lives.Process.Kill()
		_, _ = lives.Wait(), zombie.Wait()
	})
	if err := gone.Wait(); err != nil {
		t.Fatal(err)
	}
	for {
		p, err := proc.Stat(zombie.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		if p.Dead() {
			break
		}
		time.Sleep(time.Millisecond)
	}
	e, err := New(WithStateDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	id := e.finishedHere(t, record.Exit{
		At: time.Now(), Status: Lost, Reason: ReasonHolderDied,
		Survivors: []record.Process{
			{PID: lives.Process.Pid, Command: "before it", Start: "1"},
			{PID: zombie.Process.Pid, Command: "zombie"}, {PID: lives.Process.Pid, Command: "lives"}, {PID: gone.Process.Pid, Command: "gone"},
		},
	})
	for _, from := range []string{"its directory", "the index"} {
		jobs, err := e.List(t.Context(), Filter{})
		if err != nil || len(jobs) != 1 {
			t.Fatalf("%d jobs, %v", len(jobs), err)
		}
		if left := jobs[0].Exit.Survivors; len(left) != 1 || left[0] != (Process{PID: lives.Process.Pid, Command: "lives"}) {
			t.Errorf("from %s, survivors %+v", from, left)
		}
	}
	if e.root.Index().Find(id) == nil {
		t.Error("the job is not in the index")
	}
	for name, change := range map[string]func(*place){
		"another machine":       func(p *place) { p.machine = "another" },
		"another pid namespace": func(p *place) { p.pidns = "another" },
	} {
		p := e.here
		change(&p)
		rec := e.root.Index().Find(id)
		if left := p.livingSurvivors(&rec.State, slices.Clone(rec.State.Exit.Survivors)); len(left) != 4 {
			t.Errorf("seen from %s, survivors %+v", name, left)
		}
	}
	p := e.here
	p.boot = "the next"
	rec := e.root.Index().Find(id)
	if left := p.livingSurvivors(&rec.State, slices.Clone(rec.State.Exit.Survivors)); len(left) != 0 {
		t.Errorf("after the next boot, survivors %+v", left)
	}
}
