package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/hobjobs/hob/engine"
)

// removedWhileObserved is a backend whose jobs, once remove is set, are removed just before they
// are observed, so that neither a record nor a holder is found.
type removedWhileObserved struct {
	*fakeBackend
	remove func(dir string)
}

func (b *removedWhileObserved) Observe(ctx context.Context, rs []engine.Record) (map[engine.ID]engine.State, error) {
	if b.remove == nil {
		return b.fakeBackend.Observe(ctx, rs)
	}
	seen := map[engine.ID]engine.State{}
	for _, r := range rs {
		b.remove(r.Dir)
		exit := engine.Exit{Status: engine.Lost, Reason: engine.ReasonHolderDied}
		seen[r.ID] = engine.State{Status: engine.Lost, Exit: exit}
	}
	return seen, nil
}

func TestJobRemovedWhileObservedIsNotFound(t *testing.T) {
	for name, look := range map[string]func(*testing.T, *engine.Engine, engine.ID){
		"get": func(t *testing.T, e *engine.Engine, id engine.ID) {
			if j, err := e.Handle(id).Facts(t.Context()); !errors.Is(err, engine.ErrNotFound) {
				t.Errorf("%s %+v, %v", j.Status, j.Exit, err)
			}
		},
		"list": func(t *testing.T, e *engine.Engine, _ engine.ID) {
			if jobs, err := e.List(t.Context(), engine.Filter{}); err != nil || len(jobs) != 0 {
				t.Errorf("%v, %v", jobs, err)
			}
		},
		"active": func(t *testing.T, e *engine.Engine, id engine.ID) {
			if active(t, e, id) {
				t.Error("it is active")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := &removedWhileObserved{fakeBackend: newFake("")}
			e := open(t, engine.WithBackend(b))
			id := start(t, e, engine.Spec{}).ID
			b.remove = func(dir string) {
				if err := os.RemoveAll(dir); err != nil {
					t.Error(err)
				}
			}
			look(t, e, id)
		})
	}
}

func TestWaitForRemovedJob(t *testing.T) {
	type answer struct {
		exit engine.Exit
		err  error
	}
	// wait waits for the end of a job in a goroutine; it returns once the wait has begun.
	wait := func(e *engine.Engine, id engine.ID) <-chan answer {
		done := make(chan answer, 1)
		go func() {
			exit, err := e.Handle(id).Wait(context.Background())
			done <- answer{exit, err}
		}()
		synctest.Wait()
		return done
	}
	t.Run("its end is in the trash", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e, f := withFake(t)
			id := start(t, e, engine.Spec{}).ID
			done := wait(e, id)
			f.Job(id).Exit(3)
			if _, err := e.Remove(t.Context(), engine.RemoveOptions{}, id); err != nil {
				t.Fatal(err)
			}
			if got := <-done; got.err != nil || got.exit.Status != engine.Exited || code(t, got.exit) != 3 {
				t.Errorf("%+v, %v", got.exit, got.err)
			}
			j, err := e.Handle(id).LastFacts(t.Context())
			if err != nil || j.Status != engine.Exited || code(t, j.Exit) != 3 {
				t.Errorf("with the trash: %s %+v, %v", j.Status, j.Exit, err)
			}
		})
	})
	t.Run("its directory is deleted and its holder gone", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e, f := withFake(t)
			id := start(t, e, engine.Spec{}).ID
			done := wait(e, id)
			if err := os.RemoveAll(filepath.Join(e.StateDir(), "jobs", string(id))); err != nil {
				t.Fatal(err)
			}
			f.Job(id).Die()
			if got := <-done; !errors.Is(got.err, engine.ErrNotFound) {
				t.Errorf("%+v, %v", got.exit, got.err)
			}
			if j, err := e.Handle(id).LastFacts(t.Context()); !errors.Is(err, engine.ErrNotFound) {
				t.Errorf("with the trash: %s %+v, %v", j.Status, j.Exit, err)
			}
		})
	})
}
