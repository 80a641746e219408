package jobdir

import (
	"testing"

	"github.com/hobjobs/hob/engine/record"
)

// Programs print the reason and the signal of an end as recorded, and a job can record any text.
func TestEndHasOnlyWords(t *testing.T) {
	for _, c := range []struct{ recorded, want string }{
		{"SIGTERM", "SIGTERM"},
		{"SIGRTMIN+3", "SIGRTMIN+3"},
		{"signal 40", "signal 40"},
		{"a_later_reason", "a_later_reason"},
		{"\x1b[31mred", ""},
		{"a\u202eb", ""},
		{"two\nlines", ""},
		{"\xff", ""},
		{"\u009b2J", ""},
	} {
		r := Record{State: record.State{Exit: record.Exit{
			Status: record.Killed,
			Signal: c.recorded,
			Reason: record.Reason(c.recorded),
		}}}
		if got := r.CurrentState().Exit; got.Signal != c.want || string(got.Reason) != c.want || got.Status != record.Killed {
			t.Errorf("%q: signal %q, reason %q, %s", c.recorded, got.Signal, got.Reason, got.Status)
		}
	}
}
