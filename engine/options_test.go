package engine_test

import (
	"errors"
	"testing"

	"github.com/hobjobs/hob/engine"
)

// A program may pass on values that it does not have: empty values mean the default.
func TestEmptyOptionsMeanDefault(t *testing.T) {
	e, err := engine.New(nil, engine.WithStateDir(t.TempDir()), engine.WithClient(""), engine.WithLogger(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	x, err := e.NewExecution(engine.ExecutionSpec{Name: "index"})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Complete(engine.Exit{}); err != nil {
		t.Fatal(err)
	}
	if j := get(t, e, x.ID()); j.CreatedBy != "engine" || j.CreatedAt.IsZero() {
		t.Errorf("created by %q at %v", j.CreatedBy, j.CreatedAt)
	}
}

func TestBackendsAreDistinctAndNotNil(t *testing.T) {
	e, f := withFake(t)
	for name, opts := range map[string][]engine.Option{
		"nil":   {engine.WithBackend(nil)},
		"twice": {engine.WithBackend(f), engine.WithBackend(f)},
	} {
		other, err := engine.New(append(opts, engine.WithStateDir(e.StateDir()))...)
		if !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%s: %v, %v; want ErrInvalid", name, other, err)
		}
	}
}
