package engine

import "testing"

// A caller may wait for a job for much longer than a subscription lasts.
func TestSubscriptionLeavesNoTracker(t *testing.T) {
	e, err := New(WithStateDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var ids []ID
	for range 2 {
		x, err := e.NewExecution(ExecutionSpec{Name: "running"})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, x.ID())
	}
	tr, release, err := e.Handle(ids[0]).follow(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tracked := func() (n int, watched bool) {
		e.tracking.mu.Lock()
		defer e.tracking.mu.Unlock()
		return len(e.tracking.trackers), tr.stop != nil
	}
	s := e.Subscribe(Filter{})
	if _, err := s.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, watched := tracked(); n != 2 || !watched {
		t.Errorf("with a subscription: %d jobs are tracked, the first watched: %v", n, watched)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if n, watched := tracked(); n != 1 || !watched {
		t.Errorf("without it: %d jobs are tracked, the first watched: %v", n, watched)
	}
	release()
	if n, watched := tracked(); n != 0 || watched {
		t.Errorf("in the end: %d jobs are tracked, the first watched: %v", n, watched)
	}
}
