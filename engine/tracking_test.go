package engine_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
)

// Several subscriptions to one job start together: each adds the job, and all but one release it,
// while others start and end.
func TestConcurrentSubscriptionsToOneJob(t *testing.T) {
	e, _ := withFake(t)
	other := start(t, e, engine.Spec{})
	subscribe(t, e, engine.Filter{IDs: []engine.ID{other.ID}}) // the tracker that the others join exists
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

// Attended jobs are watched closely, other jobs are throttled, and neither is watched before the
// list is complete.
func TestAttendedJobsAreWatchedClosely(t *testing.T) {
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
	throttled := func(x, y bool) func() bool {
		return func() bool { return f.Job(a.ID).Throttled() == x && f.Job(b.ID).Throttled() == y }
	}
	s := e.Subscribe(engine.Filter{})
	defer s.Close()
	s.Attend(a.ID)
	first, err := s.Next(t.Context())
	if err != nil || len(first) != 2 || first[0].Job.Status != engine.Running || first[1].Job.Status != engine.Running {
		t.Fatalf("snapshot %+v, %v", first, err)
	}
	f.Job(b.ID).Print("while nothing watches it")
	if _, events := story(t, s, engine.EventOutput); events[len(events)-1].Job.ID != b.ID {
		t.Errorf("%+v", events)
	}
	until("a is looked at, b is not", throttled(false, true))
	s.Attend(b.ID)
	until("b is looked at, a is not", throttled(true, false))

	closely, _ := subscribe(t, e, engine.Filter{IDs: []engine.ID{a.ID}})
	until("both are looked at", throttled(false, false))
	closely.Close()
	until("a is not any longer", throttled(true, false))

	f.Job(a.ID).Exit(3)
	_, events := story(t, s, engine.EventExited)
	if i := slices.IndexFunc(events, func(ev engine.Event) bool { return ev.Kind == engine.EventExited }); events[i].Job.ID != a.ID {
		t.Errorf("%+v", events)
	}
}

// The snapshot is current even for jobs that were not watched since they were listed.
func TestThrottledSnapshotIsCurrent(t *testing.T) {
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
