package engine_test

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
)

// rebooted ends jobs as a reboot does.
func rebooted(f *fakeBackend, jobs ...engine.Job) {
	for _, j := range jobs {
		f.Job(j.ID).End(engine.Exit{Status: engine.Lost, Reason: engine.ReasonReboot})
	}
}

// became returns what was started for which job: its name, or why it was not started.
func became(t *testing.T, revivals []engine.Revival, err error) (names []string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range revivals {
		switch {
		case r.Err != nil:
			names = append(names, "not "+r.Lost.Name)
		case r.Started != nil && r.Started.RestartedFrom != r.Lost.ID:
			t.Errorf("%s is restarted from %q", r.Started.ID, r.Started.RestartedFrom)
		default:
			names = append(names, r.Lost.Name)
		}
	}
	return names
}

func TestReviveSelects(t *testing.T) {
	e, f := withFake(t)
	named := func(name string, change func(*engine.Spec)) engine.Job {
		spec := engine.Spec{Name: name}
		change(&spec)
		return start(t, e, spec)
	}
	same := func(*engine.Spec) {}
	first := named("first", same)
	marked := named("marked", func(s *engine.Spec) { s.Revive = true })
	keyed := named("keyed", func(s *engine.Spec) { s.Env = map[string]string{"HOB_TEST_TOKEN": "1"} })
	died, ended, runs := named("died", same), named("ended", same), named("runs", same)
	rebooted(f, first, marked, keyed)
	f.Job(died.ID).End(engine.Exit{Status: engine.Lost, Reason: engine.ReasonHolderDied})
	f.Job(ended.ID).Exit(0)
	t.Setenv("HOB_TEST_TOKEN", "of this shell") // is no value that was given to the job
	for _, tt := range []struct {
		name string
		o    engine.ReviveOptions
		want []string
	}{
		{"all", engine.ReviveOptions{}, []string{"first", "marked", "not keyed"}},
		{"with values", engine.ReviveOptions{Env: map[string]string{"HOB_TEST_TOKEN": "2"}}, []string{"first", "marked", "keyed"}},
		{"marked", engine.ReviveOptions{Select: func(j engine.Job) bool { return j.Revive }}, []string{"marked"}},
		{"another host", engine.ReviveOptions{Host: "web1"}, nil},
		{"by id, lost otherwise", engine.ReviveOptions{IDs: []engine.ID{died.ID}}, []string{"died"}},
		{"by id, not lost", engine.ReviveOptions{IDs: []engine.ID{ended.ID, runs.ID}}, []string{"not ended", "not runs"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.DryRun = true
			revivals, err := e.Revive(t.Context(), tt.o)
			if diff := cmp.Diff(tt.want, became(t, revivals, err)); diff != "" {
				t.Error(diff)
			}
		})
	}
	revivals, err := e.Revive(t.Context(), engine.ReviveOptions{})
	missing, ok := errors.AsType[*engine.MissingEnvError](revivals[2].Err)
	if err != nil || !ok || !slices.Equal(missing.Names, []string{"HOB_TEST_TOKEN"}) {
		t.Errorf("%v, %v", err, revivals[2].Err)
	}
	// Only the job that had the variable gets it, and the others are not started twice.
	revivals, err = e.Revive(t.Context(), engine.ReviveOptions{Env: map[string]string{"HOB_TEST_TOKEN": "2", "OTHER": "3"}})
	if diff := cmp.Diff([]string{"keyed"}, became(t, revivals, err)); diff != "" {
		t.Fatal(diff)
	}
	spec := f.Job(revivals[0].Started.ID).Launch.Spec
	if !maps.Equal(spec.Env, map[string]string{"HOB_TEST_TOKEN": "2"}) {
		t.Errorf("its variables are %v", spec.Env)
	}
	revivals, err = e.Revive(t.Context(), engine.ReviveOptions{IDs: []engine.ID{first.ID}})
	if diff := cmp.Diff([]string{"not first"}, became(t, revivals, err)); diff != "" {
		t.Error(diff)
	}
}

// What a job waited for is what it waits for again: the new job of one that was lost. One that had succeeded is met.
func TestReviveOrder(t *testing.T) {
	for _, tt := range []struct {
		name string
		ids  func(build, deploy engine.Job) []engine.ID
		want []string
	}{
		{"together", func(_, _ engine.Job) []engine.ID { return nil }, []string{"build", "deploy"}},
		{"alone", func(_, deploy engine.Job) []engine.ID { return []engine.ID{deploy.ID} }, []string{"not deploy"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, f := withFake(t)
			met := start(t, e, engine.Spec{Name: "met"})
			build := start(t, e, engine.Spec{Name: "build"})
			deploy := start(t, e, engine.Spec{Name: "deploy", After: []engine.ID{met.ID, build.ID}, AfterAny: []engine.ID{build.ID}})
			f.Job(met.ID).Exit(0)
			rebooted(f, build, deploy)
			o := engine.ReviveOptions{IDs: tt.ids(build, deploy), DryRun: true}
			revivals, err := e.Revive(t.Context(), o)
			if diff := cmp.Diff(tt.want, became(t, revivals, err)); diff != "" {
				t.Fatal(diff)
			}
			o.DryRun = false
			revivals, err = e.Revive(t.Context(), o)
			if diff := cmp.Diff(tt.want, became(t, revivals, err)); diff != "" {
				t.Fatal(diff)
			}
			last := revivals[len(revivals)-1]
			if last.Err != nil {
				return
			}
			now := revivals[0].Started.ID
			if after := f.Job(last.Started.ID).Launch.Spec.After; !slices.Equal(after, []engine.ID{now}) {
				t.Errorf("it waits for %v", after)
			}
			if after := f.Job(last.Started.ID).Launch.Spec.AfterAny; !slices.Equal(after, []engine.ID{now}) {
				t.Errorf("it waits for the end of %v", after)
			}
		})
	}
}

// A process of a project that runs again is left alone.
func TestReviveOfAProcessThatRuns(t *testing.T) {
	e, f := withFake(t)
	web := start(t, e, process("web"))
	rebooted(f, web)
	now := start(t, e, process("web"))
	revivals, err := e.Revive(t.Context(), engine.ReviveOptions{})
	if diff := cmp.Diff([]string{"not web"}, became(t, revivals, err)); diff != "" {
		t.Error(diff)
	}
	if now = get(t, e, now.ID); now.Status != engine.Running || runningWebs(t, e) != 1 {
		t.Errorf("%s is %s beside others", now.ID, now.Status)
	}
}

// A job in whose place one was requested that never ran is offered again; one whose new job ran is not.
func TestReviveOfWhatNeverRan(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  engine.Exit
		want []string
	}{
		{"ran", engine.Exit{Status: engine.Exited, Reason: engine.ReasonExit}, nil},
		{"cancelled", engine.Exit{Status: engine.Killed, Reason: engine.ReasonKill}, nil},
		{"its program does not exist", engine.Exit{Status: engine.Failed, Reason: engine.ReasonSpawn}, []string{"web"}},
		{"the start was cut off", engine.Exit{Status: engine.Lost, Reason: engine.ReasonHolderDied}, []string{"web"}},
		{"its program was deleted after the first run", engine.Exit{Status: engine.Failed, Reason: engine.ReasonSpawn}, nil},
		{"lost while it ran", engine.Exit{Status: engine.Lost, Reason: engine.ReasonHolderDied}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, f := withFake(t)
			web := start(t, e, engine.Spec{Name: "web"})
			rebooted(f, web)
			revivals, err := e.Revive(t.Context(), engine.ReviveOptions{})
			if diff := cmp.Diff([]string{"web"}, became(t, revivals, err)); diff != "" {
				t.Fatal(diff)
			}
			now := revivals[0].Started.ID
			job := f.Job(now)
			if tt.want != nil {
				job.change(func() { job.state.StartedAt = time.Time{} })
			}
			job.End(tt.end)
			for range 2 {
				revivals, err = e.Revive(t.Context(), engine.ReviveOptions{DryRun: true})
				if diff := cmp.Diff(tt.want, became(t, revivals, err)); diff != "" {
					t.Error(diff)
				}
				if _, err := e.Handle(now).Restart(t.Context(), engine.RestartOptions{}); err != nil {
					t.Fatal(err)
				}
				tt.want = nil // it runs
			}
		})
	}
}

// In a queue, the jobs that ran come first, then those that were put first; and each job comes after those that it waits
// for. Jobs of other queues keep their places.
func TestReviveOrderOfAQueue(t *testing.T) {
	e, f := withFake(t)
	queued := func(name string, after ...engine.ID) engine.Job {
		j := start(t, e, engine.Spec{Name: name, Queue: "left", After: after})
		f.Job(j.ID).change(func() { f.Job(j.ID).state.StartedAt = time.Time{} })
		return j
	}
	other := start(t, e, engine.Spec{Name: "other"})
	waits, last, dep := queued("waits"), queued("last"), queued("dep")
	ran := start(t, e, engine.Spec{Name: "ran", Queue: "left"})
	first, depends := queued("first"), queued("depends", dep.ID)
	rebooted(f, other, waits, last, dep, ran, first, depends)
	for id, n := range map[engine.ID]int64{ran.ID: 1, first.ID: 9, depends.ID: 8} {
		if err := jobdir.WriteCursor(f.Job(id).Launch.Dir, "put-first", n); err != nil {
			t.Fatal(err)
		}
	}
	revivals, err := e.Revive(t.Context(), engine.ReviveOptions{DryRun: true})
	want := []string{"other", "ran", "first", "dep", "depends", "waits", "last"}
	if diff := cmp.Diff(want, became(t, revivals, err)); diff != "" {
		t.Error(diff)
	}
}
