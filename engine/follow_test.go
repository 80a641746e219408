package engine

import "testing"

// A job may be followed for much longer than a subscription lasts.
func TestSubscriptionLeavesNoListener(t *testing.T) {
	e, err := New(WithStateDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	x, err := e.Create(VirtualSpec{Name: "goes on"})
	if err != nil {
		t.Fatal(err)
	}
	f, release, err := e.follow(t.Context(), x.ID())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	listeners := func() int {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.heard)
	}
	s := e.Subscribe(Filter{})
	if _, err := s.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := listeners(); n != 1 {
		t.Errorf("%d listeners of a subscription", n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if n := listeners(); n != 0 {
		t.Errorf("%d listeners are left", n)
	}
}
