//go:build linux || darwin

package local_test

import (
	"context"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
)

// The holder reports output of a throttled job once a second, and more often as soon as throttling
// ends.
func TestThrottleSlowsOutputEvents(t *testing.T) {
	t.Parallel()
	e, err := engine.New(engine.WithStateDir(shortDir(t)), engine.WithBackend(local.New()))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	j, err := e.Start(t.Context(), engine.Spec{Script: "while :; do echo x; sleep 0.02; done"})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Handle(j.ID).Stop(context.Background(), engine.StopOptions{Grace: engine.KillNow})
	s := e.Subscribe(engine.Filter{})
	defer s.Close()
	s.Attend()
	batches := func(d time.Duration) (n int) {
		ctx, cancel := context.WithTimeout(t.Context(), d)
		defer cancel()
		for {
			if _, err := s.Next(ctx); err != nil {
				return n
			}
			n++
		}
	}
	batches(300 * time.Millisecond) // the snapshot, and the holder's more recent state
	eventually(t, "at a glance: one to four batches in two seconds", func() bool { n := batches(2 * time.Second); return 1 <= n && n <= 4 })
	s.Attend(j.ID)
	eventually(t, "closely: at least five batches in half a second", func() bool { return batches(500*time.Millisecond) >= 5 })
	s.Attend()
	eventually(t, "at a glance again: at most one batch in half a second", func() bool { return batches(500*time.Millisecond) <= 1 })
}
