package engine_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hobjobs/hob/engine"
)

// Fields that a restart sets anew.
var (
	specsOwn    = []string{"Backgrounded", "CreatedBy", "RestartedFrom", "Single"}
	requestsOwn = []string{"Token", "ID", "StartInBackground", "CreatedAt", "CreatedBy", "RestartedFrom"}
)

// A field that a restart forgets fails here: every field of Spec and Request is set in one of the
// cases, and the restarted job has the same values.
func TestRestartKeepsEveryField(t *testing.T) {
	local, host := newFake(""), newFake("slurm:login1")
	for _, f := range []*fakeBackend{local, host} {
		f.Limit(engine.Capabilities{PTY: true, Stdin: true, Split: true, TTYStdin: true, LogLimit: true, Restart: true, StopCommand: true, Health: true})
	}
	e := open(t, engine.WithBackend(local), engine.WithBackend(host))
	t.Setenv("HOB_TEST_TOKEN", "1")
	other := start(t, e, engine.Spec{Script: "make"})
	setSpec, setRequest := map[string]bool{}, map[string]bool{}
	for name, spec := range map[string]engine.Spec{
		"a terminal": {
			Command:      []string{"make", "it so"},
			Name:         "mine",
			Dir:          t.TempDir(),
			Env:          map[string]string{"HOB_TEST_TOKEN": "1"},
			EnvDigests:   map[string]string{"HOB_TEST_TOKEN": "d1"},
			PTY:          true,
			Size:         engine.Size{Cols: 99, Rows: 33},
			Timeout:      time.Minute,
			Grace:        time.Second,
			StopSignal:   "SIGINT",
			StopCommand:  "make stop",
			Health:       engine.HealthCheck{Check: ":4711", Every: 5},
			LogLimit:     3 << 20,
			Labels:       map[string]string{"a": "b"},
			Notify:       true,
			Revive:       true,
			Restart:      "on-failure:3",
			RestartPause: 2 * time.Second,
			Port:         4711,
		},
		"a script with a terminal for input": {
			Script:   "make",
			TTYStdin: true,
			LogLimit: -1,
		},
		"separate streams in a queue": {
			Script:   "make",
			Split:    true,
			Stdin:    true,
			Queue:    "build",
			After:    []engine.ID{other.ID},
			AfterAny: []engine.ID{other.ID},
		},
		"a cluster": {
			Script:        "make",
			Dir:           "/srv",
			Host:          "slurm:login1",
			SchedulerArgs: []string{"-p", "gpu"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			old := start(t, e, spec)
			again, err := e.Handle(old.ID).Restart(t.Context(), engine.RestartOptions{Keep: spec.Port == 0})
			if err != nil {
				t.Fatal(err)
			}
			asked, err := e.Handle(again.ID).Request(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			kept, err := e.Handle(old.ID).Request(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(spec, kept, cmpopts.IgnoreFields(engine.Spec{}, specsOwn...), sameSpec(spec)); diff != "" {
				t.Errorf("the request of the job (- asked, + kept):\n%s", diff)
			}
			if diff := cmp.Diff(kept, asked, cmpopts.IgnoreFields(engine.Spec{}, specsOwn...)); diff != "" {
				t.Errorf("what the restart asks for:\n%s", diff)
			}
			if diff := cmp.Diff(old.Request, again.Request, cmpopts.IgnoreFields(engine.Request{}, requestsOwn...)); diff != "" {
				t.Errorf("the records:\n%s", diff)
			}
			noteFields(setSpec, spec)
			noteFields(setRequest, old.Request)
		})
	}
	checkFields(t, reflect.TypeFor[engine.Spec](), setSpec, specsOwn)
	// The scheduler is part of Host on the client.
	checkFields(t, reflect.TypeFor[engine.Request](), setRequest, append(requestsOwn, "Scheduler"))
}

// sameSpec ignores what a default fills in where spec leaves it open, and the values of variables.
func sameSpec(spec engine.Spec) cmp.Option {
	return cmp.FilterPath(func(p cmp.Path) bool {
		if _, value := p.Last().(cmp.MapIndex); value {
			return p.Index(1).String() == ".Env"
		}
		field, ok := p.Last().(cmp.StructField)
		return ok && p.Index(-2).Type() == reflect.TypeFor[engine.Spec]() && reflect.ValueOf(spec).FieldByName(field.Name()).IsZero()
	}, cmp.Ignore())
}

// noteFields adds the names of the fields of v that are set.
func noteFields(set map[string]bool, v any) {
	value := reflect.ValueOf(v)
	for _, f := range reflect.VisibleFields(value.Type()) {
		if !value.FieldByIndex(f.Index).IsZero() {
			set[f.Name] = true
		}
	}
}

func checkFields(t *testing.T, typ reflect.Type, set map[string]bool, own []string) {
	t.Helper()
	for _, f := range reflect.VisibleFields(typ) {
		if !set[f.Name] && !slices.Contains(own, f.Name) {
			t.Errorf("no case sets %s.%s: set it in one", typ.Name(), f.Name)
		}
	}
}
