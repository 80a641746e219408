//go:build linux || darwin

package holder

import (
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
)

// A run that has become stable ends a row of failures. A late report about an earlier run does not.
func TestStableRunEndsRowOfFailures(t *testing.T) {
	h := newOpened(t, Config{})
	h.state.Runs = &record.Runs{}
	failed := record.Exit{Status: record.Exited, Code: new(1)}
	fails := func(want int) {
		t.Helper()
		if got := h.state.Runs.Failures; got != want {
			t.Errorf("%d failures in a row, want %d", got, want)
		}
	}
	for range 2 {
		h.RunEnded(failed, time.Now())
		h.RunBegins()
	}
	fails(2)
	h.RunStable(1) // the run before
	fails(2)
	h.RunStable(2)
	fails(0)
	if runs := h.state.Runs; runs.Count != 2 || runs.Last == nil {
		t.Errorf("%+v", runs)
	}
	h.RunEnded(failed, time.Now())
	h.RunStable(2) // this run has ended already
	fails(1)
}
