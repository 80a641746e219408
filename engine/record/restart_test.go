package record_test

import (
	"errors"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
)

func TestParseRestart(t *testing.T) {
	for text, want := range map[string]record.RestartPolicy{
		"": {}, "always": {Always: true}, "on-failure": {OnFailure: true}, "on-failure:12": {OnFailure: true, Max: 12},
		"always:3": {Always: true, Max: 3},
	} {
		if got, err := record.ParseRestart(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"no", "never", "on-failure:", "on-failure:0", "on-failure:-1", "on-failure:+1", "on-failure:01", "always:", "always:0", ":3", "Always"} {
		if _, err := record.ParseRestart(text); !errors.Is(err, record.ErrInvalid) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestRestarts(t *testing.T) {
	code := func(n int) record.Exit { return record.Exit{Status: record.Exited, Code: &n} }
	crash := record.Exit{Status: record.Killed, Code: new(139), Signal: "SIGSEGV"}
	tests := []struct {
		policy string
		end    record.Exit
		count  int
		want   bool
	}{
		{"", code(1), 0, false},
		{"always", code(0), 9999, true},
		{"always", crash, 0, true},
		{"always:2", code(0), 1, true},
		{"always:2", crash, 2, false},
		{"on-failure", code(0), 0, false},
		{"on-failure", code(1), 9999, true},
		{"on-failure", crash, 0, true},
		{"on-failure:2", code(1), 1, true},
		{"on-failure:2", code(1), 2, false},
		{"on-failure:2", code(0), 0, false},
	}
	for _, tt := range tests {
		p, err := record.ParseRestart(tt.policy)
		if got := p.Restarts(tt.end, tt.count); err != nil || got != tt.want {
			t.Errorf("%+v: %v, %v", tt, got, err)
		}
	}
}

func TestReasonBetweenRuns(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	r := &record.Runs{Count: 2, NextAt: now.Add(3800 * time.Millisecond)}
	for policy, want := range map[string]string{
		"on-failure:5": "restarting in 4s (3 of 5)", "on-failure": "restarting in 4s", "always": "restarting in 4s",
		"always:3": "restarting in 4s (3 of 3)",
	} {
		if got := r.Reason(policy, now); got != want {
			t.Errorf("%s: %q, want %q", policy, got, want)
		}
	}
	if got := r.Reason("always", now.Add(time.Hour)); got != "restarting in 0s" {
		t.Errorf("later: %q", got)
	}
}
