//go:build linux || darwin

package local_test

import (
	"context"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
)

// A client that shows a part of the jobs has only those measured, and others soon after they are shown.
func TestMeasureLimitsUsageToTheseJobs(t *testing.T) {
	t.Parallel()
	const every = time.Minute // so that only Measure itself makes the second job be measured in time
	e, err := engine.New(engine.WithStateDir(shortDir(t)), engine.WithBackend(local.New()), engine.WithUsage(every))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var jobs []engine.ID
	for range 2 {
		j, err := e.Start(t.Context(), engine.Spec{Command: []string{"sleep", "600"}})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Handle(j.ID).Stop(context.Background(), engine.StopOptions{Grace: engine.KillNow})
		jobs = append(jobs, j.ID)
	}
	s := e.Subscribe(engine.Filter{})
	defer s.Close()
	known := map[engine.ID]bool{}
	untilKnown := func(id engine.ID) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), every/2)
		defer cancel()
		for !known[id] {
			events, err := s.Next(ctx)
			if err != nil {
				t.Fatalf("the usage of %s is not reported: %v", id, err)
			}
			for _, ev := range events {
				known[ev.Job.ID] = known[ev.Job.ID] || ev.Job.CPU != nil
			}
		}
	}
	s.Measure(jobs[0])
	untilKnown(jobs[0])
	if known[jobs[1]] {
		t.Error("the usage of a job is reported that was not to be measured")
	}
	s.Measure(jobs[1])
	untilKnown(jobs[1])
}
