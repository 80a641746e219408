package engine_test

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/testtool"
)

func TestMain(m *testing.M) {
	if root := os.Getenv(performerVariable); root != "" {
		fmt.Fprintln(os.Stderr, perform(root))
		os.Exit(1)
	}
	os.Exit(testtool.RunWithoutLeaks(m))
}

// patience bounds waits that normally end at once.
const patience = time.Minute

// clock is a clock that the test sets.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Now()} }

func (c *clock) now() time.Time { return c.move(0) }

func (c *clock) move(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
	return c.at
}

func open(t *testing.T, opts ...engine.Option) *engine.Engine {
	t.Helper()
	e, err := engine.New(append([]engine.Option{engine.WithStateDir(t.TempDir()), engine.WithClient("test")}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return e
}

// withFake returns an engine whose local jobs are fake.
func withFake(t *testing.T, opts ...engine.Option) (*engine.Engine, *fakeBackend) {
	t.Helper()
	f := newFake("")
	return open(t, append(opts, engine.WithBackend(f))...), f
}

func start(t *testing.T, e *engine.Engine, spec engine.Spec, opts ...engine.StartOption) engine.Job {
	t.Helper()
	if spec.Command == nil && spec.Script == "" {
		spec.Command = []string{"sleep", "60"}
	}
	j, err := e.Start(t.Context(), spec, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func get(t *testing.T, e *engine.Engine, id engine.ID) engine.Job {
	t.Helper()
	j, err := e.Handle(id).Facts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func code(t *testing.T, exit engine.Exit) int {
	t.Helper()
	if exit.Code == nil {
		t.Fatalf("no exit code: %+v", exit)
	}
	return *exit.Code
}

// active reports whether the job exists and has not ended.
func active(t *testing.T, e *engine.Engine, id engine.ID) bool {
	t.Helper()
	j, err := e.Handle(id).Facts(t.Context())
	if err != nil && !errors.Is(err, engine.ErrNotFound) {
		t.Error(err)
	}
	return err == nil && !j.Status.Finished()
}
