package engine_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
)

func TestRestartMakesTheSameRequest(t *testing.T) {
	e, f := withFake(t)
	spec := engine.Spec{
		Command: []string{"make", "it so"}, Dir: t.TempDir(), Env: map[string]string{"HOB_TEST_TOKEN": "1"}, PTY: true,
		Size: engine.Size{Cols: 99, Rows: 33}, Timeout: time.Minute, Grace: time.Second, LogLimit: -1,
		Labels: map[string]string{"a": "b"}, Notify: true, Name: "mine",
	}
	j := start(t, e, spec)
	f.Job(j.ID).Exit(0)
	check := func(how string, o engine.RestartOptions) {
		t.Helper()
		r, err := e.Handle(j.ID).Restart(t.Context(), o)
		if err != nil {
			t.Fatalf("%s: %v", how, err)
		}
		got := f.Job(r.ID).Launch.Spec
		want := f.Job(j.ID).Launch.Spec
		want.RestartedFrom, want.Backgrounded = j.ID, true
		want.Env = map[string]string{"HOB_TEST_TOKEN": "2"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", how, diff)
		}
	}
	check("given again", engine.RestartOptions{Env: map[string]string{"HOB_TEST_TOKEN": "2"}})
	t.Setenv("HOB_TEST_TOKEN", "2")
	check("set", engine.RestartOptions{})
}

func TestRestartWithLabelsOfItsOwn(t *testing.T) {
	e, _ := withFake(t)
	old := start(t, e, engine.Spec{Labels: map[string]string{"owner": "a", "task": "1"}})
	again, err := e.Handle(old.ID).Restart(t.Context(), engine.RestartOptions{Labels: map[string]string{"owner": "b"}})
	if err != nil {
		t.Fatal(err)
	}
	if again.Labels["owner"] != "b" || again.Labels["task"] != "1" {
		t.Errorf("labels are %v", again.Labels)
	}
	if old = get(t, e, old.ID); old.Labels["owner"] != "a" {
		t.Errorf("the old job's labels became %v", old.Labels)
	}
}

func TestRestartStopsARunningJobFirst(t *testing.T) {
	e, f := withFake(t)
	old := start(t, e, engine.Spec{})
	j, err := e.Handle(old.ID).Restart(t.Context(), engine.RestartOptions{Stop: engine.StopOptions{By: "ui"}})
	if err != nil {
		t.Fatal(err)
	}
	if j.ID == old.ID || j.RestartedFrom != old.ID || j.Status.Finished() {
		t.Errorf("the new job is %+v", j)
	}
	if old = get(t, e, old.ID); old.Status != engine.Killed || old.Exit.EndedBy != "ui" {
		t.Errorf("the old job is %s, ended by %q", old.Status, old.Exit.EndedBy)
	}
	if stops := f.Job(old.ID).Stops(); len(stops) != 1 || stops[0].Grace != 0 {
		t.Errorf("it was stopped with %+v, want its own grace", stops)
	}
}

func TestRestartWithAnEditedRequest(t *testing.T) {
	t.Run("stops a running job first", func(t *testing.T) {
		e, f := withFake(t)
		old := start(t, e, engine.Spec{Script: "old", Env: map[string]string{"HOB_TEST_TOKEN": "1"}})
		edited := engine.Spec{Script: "new", Env: map[string]string{"HOB_TEST_B": "2"}}
		j, err := e.Handle(old.ID).Restart(t.Context(), engine.RestartOptions{Edited: &edited})
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Job(j.ID).Launch.Spec; got.Script != "new" || got.RestartedFrom != old.ID || got.Env["HOB_TEST_B"] != "2" {
			t.Errorf("started %+v", got)
		}
		if old = get(t, e, old.ID); old.Status != engine.Killed {
			t.Errorf("the old job is %s", old.Status)
		}
	})
	t.Run("stops nothing if it is invalid", func(t *testing.T) {
		e, _ := withFake(t)
		old := start(t, e, engine.Spec{})
		_, err := e.Handle(old.ID).Restart(t.Context(), engine.RestartOptions{Edited: &engine.Spec{}})
		if !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("error %v", err)
		}
		if old = get(t, e, old.ID); old.Status != engine.Running {
			t.Errorf("the old job is %s", old.Status)
		}
	})
}

func TestRestartKeepsARunningJob(t *testing.T) {
	e, f := withFake(t)
	old := start(t, e, engine.Spec{})
	if _, err := e.Handle(old.ID).Restart(t.Context(), engine.RestartOptions{Keep: true}); err != nil {
		t.Fatal(err)
	}
	if got := get(t, e, old.ID); got.Status != engine.Running || len(f.Job(old.ID).Stops()) != 0 {
		t.Errorf("the old job is %s", got.Status)
	}
	if jobs := list(t, e, engine.Filter{Running: true}); len(jobs) != 2 {
		t.Errorf("%d jobs run", len(jobs))
	}
}

// What would keep the new job from starting is found before the old one is stopped.
func TestRestartThatCannotSucceedStopsNothing(t *testing.T) {
	host := fakeHost()
	e := open(t, engine.WithBackend(host))
	gone := t.TempDir()
	for name, tt := range map[string]struct {
		spec    engine.Spec
		prepare func()
		want    error
	}{
		"a variable without a value": {engine.Spec{Host: "web1", Env: map[string]string{"HOB_TEST_TOKEN": "1"}}, func() {}, engine.ErrInvalid},
		"an unreachable host":        {engine.Spec{Host: "web1"}, func() { host.Cut(errors.New("no route")) }, engine.ErrUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			j := start(t, e, tt.spec)
			tt.prepare()
			defer host.Cut(nil)
			if _, err := e.Handle(j.ID).Restart(t.Context(), engine.RestartOptions{}); !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			} else if _, ok := errors.AsType[*engine.RestartError](err); ok {
				t.Errorf("it claims to have stopped the job: %v", err)
			}
			host.Cut(nil)
			if got := get(t, e, j.ID); got.Status != engine.Running {
				t.Errorf("the job is %s", got.Status)
			}
		})
	}
	t.Run("a deleted directory", func(t *testing.T) {
		e, _ := withFake(t)
		j := start(t, e, engine.Spec{Dir: gone})
		if err := os.Remove(gone); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Handle(j.ID).Restart(t.Context(), engine.RestartOptions{}); !errors.Is(err, engine.ErrInvalid) || !strings.Contains(err.Error(), gone) {
			t.Errorf("error %v", err)
		}
		if got := get(t, e, j.ID); got.Status != engine.Running {
			t.Errorf("the job is %s", got.Status)
		}
	})
}

func TestRestartNamesMissingVariables(t *testing.T) {
	e, _ := withFake(t)
	j := start(t, e, engine.Spec{Env: map[string]string{"HOB_TEST_B": "1", "HOB_TEST_A": "1"}})
	_, err := e.Handle(j.ID).Restart(t.Context(), engine.RestartOptions{})
	missing, ok := errors.AsType[*engine.MissingEnvError](err)
	if !ok || !errors.Is(err, engine.ErrInvalid) {
		t.Fatalf("error %v", err)
	}
	if diff := cmp.Diff([]string{"HOB_TEST_A", "HOB_TEST_B"}, missing.Names); diff != "" {
		t.Error(diff)
	}
}

func TestRestartThatFailsAfterTheStopReportsIt(t *testing.T) {
	e, f := withFake(t)
	j := start(t, e, engine.Spec{})
	boom := errors.New("boom")
	f.FailStarts(boom)
	_, err := e.Handle(j.ID).Restart(t.Context(), engine.RestartOptions{})
	failed, ok := errors.AsType[*engine.RestartError](err)
	if !ok || !errors.Is(err, boom) || failed.Job.ID != j.ID || failed.Job.Status != engine.Killed {
		t.Fatalf("error %v", err)
	}
	if !strings.Contains(err.Error(), "is stopped and was not started again") {
		t.Errorf("error %v", err)
	}
}

func TestRestartThatIsCanceledReportsTheStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, f := withFake(t)
		j := start(t, e, engine.Spec{Grace: time.Hour})
		f.Job(j.ID).Stubborn()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := e.Handle(j.ID).Restart(ctx, engine.RestartOptions{})
		failed, ok := errors.AsType[*engine.RestartError](err)
		if !ok || !errors.Is(err, context.DeadlineExceeded) || failed.Job.Status != engine.Stopping {
			t.Fatalf("error %v", err)
		}
		if !strings.Contains(err.Error(), "is being stopped and was not started again") {
			t.Errorf("error %v", err)
		}
		f.Job(j.ID).Exit(0)
	})
}

// Two clients that restart a job at the same time would start two that want the same port.
func TestConcurrentRestartsStartOneJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, f := withFake(t)
		old := start(t, e, engine.Spec{Grace: time.Second})
		f.Job(old.ID).Stubborn()
		var mu sync.Mutex
		started := map[engine.ID]bool{}
		var work sync.WaitGroup
		for range 4 {
			work.Go(func() {
				j, err := e.Handle(old.ID).Restart(t.Context(), engine.RestartOptions{})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				started[j.ID] = true
			})
		}
		work.Wait()
		if len(started) != 1 {
			t.Errorf("%d jobs were started", len(started))
		}
		// Of the old job, which has ended, there may be more now.
		j, err := e.Handle(old.ID).Restart(t.Context(), engine.RestartOptions{})
		if err != nil || started[j.ID] {
			t.Errorf("a later restart returned %s, %v", j.ID, err)
		}
	})
}

func TestRestartOfAVirtualJobStopsNothing(t *testing.T) {
	e, _ := withFake(t)
	x, err := e.NewExecution(engine.ExecutionSpec{Name: "tool", Hooks: engine.ExecutionHooks{Kill: func(context.Context) error { return nil }}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Handle(x.ID()).Restart(t.Context(), engine.RestartOptions{}); !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("error %v", err)
	}
	if got := get(t, e, x.ID()); got.Status != engine.Running {
		t.Errorf("the job is %s", got.Status)
	}
}

// The jobs that a job has followed may have been deleted since.
func TestRestartWithoutDeletedDependency(t *testing.T) {
	e, f := withFake(t)
	deleted, kept := start(t, e, engine.Spec{}), start(t, e, engine.Spec{})
	j := start(t, e, engine.Spec{After: []engine.ID{deleted.ID}, AfterAny: []engine.ID{kept.ID}})
	f.Job(j.ID).Exit(0)
	f.Job(deleted.ID).Exit(0)
	for _, id := range []engine.ID{j.ID, deleted.ID} {
		if _, err := e.Handle(id).Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.Remove(t.Context(), engine.RemoveOptions{Forever: true}, deleted.ID); err != nil {
		t.Fatal(err)
	}
	again, err := e.Handle(j.ID).Restart(t.Context(), engine.RestartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]engine.ID{kept.ID}, again.AfterAny); diff != "" || len(again.After) > 0 {
		t.Errorf("it follows %v, and %s", again.After, diff)
	}
}
