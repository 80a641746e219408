package engine_test

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobjobs/hob/engine"
)

func process(name string) engine.Spec {
	return engine.Spec{Name: name, Single: true, Labels: map[string]string{"group": "shop", "project": "/shop", "process": name}}
}

// sleeping is a process with a command.
func sleeping() engine.Spec {
	spec := process("web")
	spec.Command = []string{"sleep", "60"}
	return spec
}

// runningWebs returns the number of jobs with the name web that have not ended.
func runningWebs(t *testing.T, e *engine.Engine) (n int) {
	t.Helper()
	jobs, err := e.List(t.Context(), engine.Filter{Running: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		if j.Name == "web" {
			n++
		}
	}
	return n
}

func TestProcessStartsOnce(t *testing.T) {
	e, _ := withFake(t)
	web := start(t, e, process("web"))
	inOtherDir := process("web")
	inOtherDir.Labels["project"] = "/other"
	several := process("web")
	several.Single = false
	for _, tt := range []struct {
		name string
		spec engine.Spec
		same bool
	}{
		{"the same process", process("web"), true},
		{"another process", process("worker"), false},
		{"the process of another directory", inOtherDir, false},
		{"as a further job", several, false},
		{"no process", engine.Spec{Name: "web", Single: true}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if j := start(t, e, tt.spec); (j.ID == web.ID) != tt.same {
				t.Errorf("%s beside %s", j.ID, web.ID)
			}
		})
	}
}

// A restart of an earlier run of a process restarts the run of now: a second copy would take its port.
func TestRestartOfAnEarlierRun(t *testing.T) {
	e, f := withFake(t)
	first := start(t, e, process("web"))
	f.Job(first.ID).Exit(1)
	second := start(t, e, process("web"))
	third, err := e.Handle(first.ID).Restart(t.Context(), engine.RestartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if third.RestartedFrom != second.ID {
		t.Errorf("%s was restarted from %s, want %s", third.ID, third.RestartedFrom, second.ID)
	}
	if n := runningWebs(t, e); n != 1 {
		t.Errorf("%d jobs run, want 1", n)
	}
	if _, err := e.Handle(first.ID).Restart(t.Context(), engine.RestartOptions{Keep: true}); err != nil {
		t.Fatal(err)
	}
	if n := runningWebs(t, e); n != 2 {
		t.Errorf("%d jobs run after a restart beside, want 2", n)
	}
}

// hob up starts what does not run. At the same time the user may restart it in the list of jobs.
func TestRestartBesideStart(t *testing.T) {
	e, f := withFake(t)
	old := start(t, e, process("web"))
	f.Job(old.ID).Exit(1)
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			if _, err := e.Handle(old.ID).Restart(t.Context(), engine.RestartOptions{}); err != nil {
				t.Error(err)
			}
		})
		work.Go(func() {
			if _, err := e.Start(t.Context(), sleeping()); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	if n := runningWebs(t, e); n != 1 {
		t.Errorf("%d jobs run, want 1", n)
	}
}

// A job that is being stopped may still have the port: what starts its process again waits for its end.
func TestProcessStartsAfterAStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, f := withFake(t)
		earlier := start(t, e, process("web"))
		f.Job(earlier.ID).Exit(1)
		old := start(t, e, process("web"))
		f.Job(old.ID).Stubborn()
		var work sync.WaitGroup
		work.Go(func() {
			if _, err := e.Handle(old.ID).Stop(t.Context(), engine.StopOptions{Grace: time.Second}); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		for range 2 {
			work.Go(func() {
				if j, err := e.Handle(earlier.ID).Restart(t.Context(), engine.RestartOptions{}); err != nil || j.ID == old.ID {
					t.Errorf("restarted %s, %v", j.ID, err)
				}
			})
			work.Go(func() {
				if j, err := e.Start(t.Context(), sleeping()); err != nil || j.ID == old.ID {
					t.Errorf("started %s, %v", j.ID, err)
				}
			})
		}
		synctest.Wait()
		if n := runningWebs(t, e); n != 1 {
			t.Errorf("%d jobs run during the stop, want 1", n)
		}
		work.Wait()
		if n := runningWebs(t, e); n != 1 {
			t.Errorf("%d jobs run after the stop, want 1", n)
		}
	})
}

// A job whose processes the system does not end keeps its process from starting, but not for ever.
func TestProcessDoesNotStartBesideAStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, f := withFake(t)
		old := start(t, e, process("web"))
		f.Job(old.ID).Stopping(time.Now().Add(time.Second))
		j, err := e.Start(t.Context(), sleeping())
		if err == nil || !strings.Contains(err.Error(), string(old.ID)+" is being stopped and has not ended") {
			t.Errorf("%s, %v", j.ID, err)
		}
		f.Job(old.ID).Exit(0)
	})
}
