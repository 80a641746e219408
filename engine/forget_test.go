package engine_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
)

// remover is a host that counts requests to delete.
type remover struct {
	*fakeBackend
	asked int
}

func (r *remover) Remove(context.Context, engine.Record) error {
	r.asked++
	return nil
}

// A host that is permanently gone is not contacted about a forgotten job: neither by Forget, even
// if the job is recorded as running, nor by the sweep.
func TestForget(t *testing.T) {
	for _, restored := range []bool{false, true} {
		c := newClock()
		host := &remover{fakeBackend: fakeHost()}
		e := open(t, engine.WithClock(c.now), engine.WithBackend(host), engine.WithBackend(newFake("")))
		host.Clock(c.now)
		here, there := start(t, e, engine.Spec{}), start(t, e, engine.Spec{Host: "web1"})
		host.Cut(engine.ErrUnreachable)
		if _, err := e.Remove(t.Context(), engine.RemoveOptions{Forget: true}, there.ID, here.ID); !errors.Is(err, engine.ErrUnsupported) {
			t.Fatalf("a job of this machine: %v", err)
		}
		if n := len(list(t, e, engine.Filter{})); n != 2 {
			t.Fatalf("the refused call left %d jobs", n)
		}
		jobs, err := e.Remove(t.Context(), engine.RemoveOptions{Forget: true}, there.ID)
		if err != nil || len(jobs) != 1 || jobs[0].ID != there.ID {
			t.Fatalf("forgot %v, %v", ids(jobs), err)
		}
		if got := ids(list(t, e, engine.Filter{})); len(got) != 1 || got[0] != here.ID {
			t.Errorf("left: %v", got)
		}
		want := 0
		if restored {
			if _, err := e.Undo(t.Context()); err != nil {
				t.Fatal(err)
			}
			host.Cut(nil)
			host.Job(there.ID).Exit(0)
			if _, err := e.Remove(t.Context(), engine.RemoveOptions{}, there.ID); err != nil {
				t.Fatal(err)
			}
			want = 1 // an ordinary job again
		}
		c.move(3 * time.Hour)
		if err := e.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if host.asked != want {
			t.Errorf("restored %v: the host was asked %d times to delete, want %d", restored, host.asked, want)
		}
		if _, err := e.Undo(t.Context(), there.ID); !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("restored %v: after the sweep: %v", restored, err)
		}
	}
}

// Of several concurrent calls one forgets the job; the others report that it is not found, not that
// the state directory is broken.
func TestConcurrentForget(t *testing.T) {
	e := open(t, engine.WithBackend(fakeHost()))
	for range 50 {
		j := start(t, e, engine.Spec{Host: "web1"})
		errs := make([]error, 4)
		var work sync.WaitGroup
		for i := range errs {
			work.Go(func() { _, errs[i] = e.Remove(t.Context(), engine.RemoveOptions{Forget: true}, j.ID) })
		}
		work.Wait()
		won := 0
		for _, err := range errs {
			switch {
			case err == nil:
				won++
			case !errors.Is(err, engine.ErrNotFound):
				t.Fatalf("forgotten by several: %v", err)
			}
		}
		if won != 1 {
			t.Fatalf("%d of %d forgot it", won, len(errs))
		}
	}
}
