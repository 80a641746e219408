package engine

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func statuses() []Status { return []Status{Starting, Running, Stopping, Exited, Killed, Failed, Lost} }

func TestStepsOfAJob(t *testing.T) {
	legal := map[Status]string{
		Starting: "running stopping exited killed failed lost",
		Running:  "stopping exited killed failed lost",
		Stopping: "running exited killed failed lost",
	}
	for _, from := range statuses() {
		for _, to := range statuses() {
			want := from == to || strings.Contains(legal[from], string(to))
			if mayFollow(from, to) != want {
				t.Errorf("%s to %s: %v, want %v", from, to, !want, want)
			}
		}
		if !mayFollow("", from) {
			t.Errorf("a job is not known as %s from the first", from)
		}
	}
}

func TestNothingChangesAnEnd(t *testing.T) {
	code := 0
	j := Job{State: State{Status: Exited, Exit: Exit{Status: Exited, Code: &code}}}
	got := observed(j, State{Status: Lost, Exit: Exit{Status: Lost}})
	if got.Status != Exited || got.Exit.Code == nil {
		t.Errorf("became %+v", got)
	}
}

func TestNobodyHearsOfOutputBeforeTheStart(t *testing.T) {
	begun := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	j, now := Job{State: State{Status: Starting, Output: 4}}, begun // the length of its log, as it is read
	j = observed(j, State{Status: Starting, Output: 4})
	var story []EventKind
	for _, o := range []State{
		{Status: Running, Output: 4},
		{Status: Running, Output: 4, StartedAt: begun},
		{Status: Exited, Output: 8, StartedAt: begun},
	} {
		next := observed(j, o)
		for _, ev := range changes(step{old: j, new: next}, now) {
			story = append(story, ev.kind)
		}
		j = next
	}
	want := []EventKind{EventStarted, EventOutput, EventOutput, EventExited}
	if !slices.Equal(story, want) || j.Output != 8 {
		t.Errorf("facts %v up to %d, want %v", story, j.Output, want)
	}
}
