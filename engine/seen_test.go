package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hobjobs/hob/engine"
)

func TestFailureCountsUntilItIsSeen(t *testing.T) {
	e, f := withFake(t)
	failed, done, running := start(t, e, engine.Spec{}), start(t, e, engine.Spec{}), start(t, e, engine.Spec{})
	f.Job(failed.ID).Exit(2)
	f.Job(done.ID).Exit(0)
	if _, err := e.Handle(failed.ID).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Handle(done.ID).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !get(t, e, failed.ID).FailedUnseen() {
		t.Error("the failure does not count")
	}
	if err := e.MarkSeen(failed.ID, done.ID, running.ID, "none-aaaaa"); err != nil {
		t.Fatal(err)
	}
	if err := e.MarkSeen(failed.ID); err != nil {
		t.Fatalf("the second time: %v", err)
	}
	jobs, err := e.List(t.Context(), engine.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		if want := j.ID == failed.ID; j.Seen != want || j.FailedUnseen() {
			t.Errorf("%s (%s): seen is %v, want %v", j.ID, j.Status, j.Seen, want)
		}
		_, err := os.Stat(filepath.Join(e.StateDir(), "jobs", string(j.ID), "seen"))
		if marked := err == nil; marked != (j.ID == failed.ID) {
			t.Errorf("%s: has the file: %v", j.ID, marked)
		}
	}
	if failures, err := e.List(t.Context(), engine.Filter{Failed: true}); err != nil || len(failures) != 1 {
		t.Errorf("it is not listed as failed any more: %v, %v", failures, err)
	}

	f.Job(running.ID).Exit(1)
	if _, err := e.Handle(running.ID).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !get(t, e, running.ID).FailedUnseen() {
		t.Error("a job that failed after it was looked at does not count")
	}
}

func TestRestartedFailureIsSeen(t *testing.T) {
	e, f := withFake(t)
	old := start(t, e, engine.Spec{})
	f.Job(old.ID).Exit(1)
	if _, err := e.Handle(old.ID).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Handle(old.ID).Restart(t.Context(), engine.RestartOptions{}); err != nil {
		t.Fatal(err)
	}
	if get(t, e, old.ID).FailedUnseen() {
		t.Error("it still counts as a failure")
	}
}

// A failure that the user has seen in one program no longer counts in the others that are open.
func TestOtherProgramsNoticeThatAFailureWasSeen(t *testing.T) {
	e, f := withFake(t)
	other := open(t, engine.WithStateDir(e.StateDir()), engine.WithBackend(f))
	j := start(t, e, engine.Spec{})
	f.Job(j.ID).Exit(2)
	if _, err := e.Handle(j.ID).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	here, _ := subscribe(t, e, engine.Filter{})
	there, _ := subscribe(t, other, engine.Filter{})
	if err := e.MarkSeen(j.ID); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*engine.Subscription{"its own program": here, "another program": there} {
		_, events := story(t, s, engine.EventTitle)
		if last := events[len(events)-1].Job; last.ID != j.ID || !last.Seen {
			t.Errorf("%s: %+v", name, last)
		}
	}
}
