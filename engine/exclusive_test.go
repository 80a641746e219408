package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/hobjobs/hob/engine"
)

func TestExclusiveOfCallerThatGaveUp(t *testing.T) {
	e := open(t)
	release, err := e.Exclusive(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = open(t, engine.WithStateDir(e.StateDir())).Exclusive(ctx, "x")
	if !errors.Is(err, context.Canceled) || errors.Is(err, engine.ErrStateDir) {
		t.Errorf("%v, want that the caller gave up", err)
	}
}
