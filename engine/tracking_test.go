package engine_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
)

// Subscriptions to one job that begin together each take the job up, and all but
// one let go of it again, while others come and go.
func TestSubscriptionsOfOneJobAtOnce(t *testing.T) {
	e, _ := withFake(t)
	other := start(t, e, engine.Spec{})
	subscribe(t, e, engine.Filter{IDs: []engine.ID{other.ID}}) // what the others join is there
	for range 200 {
		j := start(t, e, engine.Spec{})
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				s := e.Subscribe(engine.Filter{IDs: []engine.ID{j.ID}})
				defer s.Close()
				if _, err := s.Next(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
}

// What somebody looks at is followed closely, and the rest as well, but with less
// effort, and not before the list is there.
func TestAttendedJobsAreFollowedClosely(t *testing.T) {
	e, f := withFake(t)
	a, b := start(t, e, engine.Spec{}), start(t, e, engine.Spec{})
	until := func(what string, done func() bool) {
		t.Helper()
		for end := time.Now().Add(patience); !done(); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("never: %s", what)
			}
		}
	}
	glanced := func(x, y bool) func() bool {
		return func() bool { return f.Job(a.ID).Glanced() == x && f.Job(b.ID).Glanced() == y }
	}
	s := e.Subscribe(engine.Filter{})
	defer s.Close()
	s.Attend(a.ID)
	first, err := s.Next(t.Context())
	if err != nil || len(first) != 2 || first[0].Job.Status != engine.Running || first[1].Job.Status != engine.Running {
		t.Fatalf("snapshot %+v, %v", first, err)
	}
	f.Job(b.ID).Print("while nobody follows it")
	if _, events := story(t, s, engine.EventOutput); events[len(events)-1].Job.ID != b.ID {
		t.Errorf("%+v", events)
	}
	until("a is looked at, b is not", glanced(false, true))
	s.Attend(b.ID)
	until("b is looked at, a is not", glanced(true, false))

	closely, _ := subscribe(t, e, engine.Filter{IDs: []engine.ID{a.ID}})
	until("both are looked at", glanced(false, false))
	closely.Close()
	until("a is not any longer", glanced(true, false))

	f.Job(a.ID).Exit(3)
	_, events := story(t, s, engine.EventExited)
	if i := slices.IndexFunc(events, func(ev engine.Event) bool { return ev.Kind == engine.EventExited }); events[i].Job.ID != a.ID {
		t.Errorf("%+v", events)
	}
}

// A snapshot for who only glances at the jobs is right also of those that nobody
// has followed since they were listed.
func TestASnapshotAtAGlanceIsCurrent(t *testing.T) {
	e, f := withFake(t)
	a, b := start(t, e, engine.Spec{}), start(t, e, engine.Spec{})
	subscribe(t, e, engine.Filter{IDs: []engine.ID{a.ID}})
	f.Job(b.ID).Exit(3)
	s := e.Subscribe(engine.Filter{})
	defer s.Close()
	s.Attend()
	first, err := s.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range first {
		if want := map[engine.ID]engine.Status{a.ID: engine.Running, b.ID: engine.Exited}[ev.Job.ID]; ev.Job.Status != want {
			t.Errorf("%s is %s", ev.Job.ID, ev.Job.Status)
		}
	}
}
