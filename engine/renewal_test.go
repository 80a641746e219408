package engine_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
)

// renewing returns an engine whose restarts ask renew.
func renewing(t *testing.T, renew func(engine.Job) (*engine.Renewal, error)) *engine.Engine {
	t.Helper()
	return open(t, engine.WithBackend(newFake("")), engine.WithRenewal(renew))
}

// A restart of a job that a file describes needs no values: they are in the file.
func TestRestartAsTheFileDescribesIt(t *testing.T) {
	e := renewing(t, func(j engine.Job) (*engine.Renewal, error) {
		if j.Labels["file"] == "" {
			return nil, nil
		}
		spec := j.Spec()
		spec.Script, spec.Env, spec.EnvDigests = "second", map[string]string{"V": "2"}, map[string]string{"V": "d2"}
		return &engine.Renewal{Spec: spec}, nil
	})
	ofFile := engine.Spec{Script: "first", Env: map[string]string{"V": "1"}, EnvDigests: map[string]string{"V": "d1"}, Labels: map[string]string{"file": "x"}}
	for _, tt := range []struct {
		name   string
		o      func(engine.Job) engine.RestartOptions
		script string
	}{
		{"as it is", func(engine.Job) engine.RestartOptions { return engine.RestartOptions{} }, "second"},
		{"edited, without the variables of the file", func(j engine.Job) engine.RestartOptions {
			edited := j.Spec()
			edited.Script, edited.Env = "edited", nil
			return engine.RestartOptions{Edited: &edited}
		}, "edited"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			old := start(t, e, ofFile)
			again, err := e.Handle(old.ID).Restart(t.Context(), tt.o(old))
			if err != nil {
				t.Fatal(err)
			}
			if again.Script != tt.script || again.RestartedFrom != old.ID {
				t.Errorf("%q restarted from %q, want %q from %q", again.Script, again.RestartedFrom, tt.script, old.ID)
			}
			if diff := cmp.Diff(map[string]string{"V": "d2"}, again.EnvDigests); diff != "" {
				t.Errorf("digests:\n%s", diff)
			}
			if diff := cmp.Diff([]string{"V"}, again.EnvNames); diff != "" {
				t.Errorf("names of variables:\n%s", diff)
			}
		})
	}
	other := start(t, e, engine.Spec{Script: "other"})
	if again, err := e.Handle(other.ID).Restart(t.Context(), engine.RestartOptions{}); err != nil || again.Script != "other" {
		t.Errorf("a job without a file runs %q, %v", again.Script, err)
	}
}

func TestRestartWithoutTheFileStopsNothing(t *testing.T) {
	gone := errors.New("the file is gone")
	e := renewing(t, func(engine.Job) (*engine.Renewal, error) { return nil, gone })
	j := start(t, e, engine.Spec{Script: "first"})
	if _, err := e.Handle(j.ID).Restart(t.Context(), engine.RestartOptions{}); !errors.Is(err, gone) {
		t.Errorf("the error is %v", err)
	}
	if j = get(t, e, j.ID); j.Status != engine.Running {
		t.Errorf("the job is %s", j.Status)
	}
}
