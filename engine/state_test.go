package engine

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func statuses() []Status {
	return []Status{Queued, Starting, Running, Stopping, Exited, Killed, Failed, Lost}
}

func TestFactsOfChanges(t *testing.T) {
	legal := map[Status]string{
		Queued:   "starting running stopping exited killed failed lost",
		Starting: "queued running stopping exited killed failed lost",
		Running:  "stopping exited killed failed lost",
		Stopping: "running exited killed failed lost",
	}
	for _, from := range statuses() {
		for _, to := range statuses() {
			want := from == to || strings.Contains(legal[from], string(to))
			if mayFollow(from, &State{Status: to}) != want {
				t.Errorf("%s to %s: %v, want %v", from, to, !want, want)
			}
		}
		if !mayFollow("", &State{Status: from}) {
			t.Errorf("a job is not known as %s from the first", from)
		}
		between := State{Status: Queued, Runs: &Runs{NextAt: time.Now()}}
		if mayFollow(from, &between) == from.Finished() {
			t.Errorf("%s: the next run follows: %v", from, from.Finished())
		}
	}
}

func TestEndIsFinal(t *testing.T) {
	code := 0
	j := Job{State: State{Status: Exited, Exit: Exit{Status: Exited, Code: &code}}}
	got := observed(j, State{Status: Lost, Exit: Exit{Status: Lost}})
	if got.Status != Exited || got.Exit.Code == nil {
		t.Errorf("became %+v", got)
	}
}

func TestOutputIsNotReportedBeforeStart(t *testing.T) {
	begun := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	j, now := Job{State: State{Status: Starting, Output: 4}}, begun // the size of its log when it was read
	j = observed(j, State{Status: Starting, Output: 4})
	var story []EventKind
	for _, o := range []State{
		{Status: Running, Output: 4},
		{Status: Running, Output: 4, StartedAt: begun},
		{Status: Exited, Output: 8, StartedAt: begun},
	} {
		next := observed(j, o)
		for _, ev := range factsOf(change{old: j, new: next}, now) {
			story = append(story, ev.kind)
		}
		j = next
	}
	want := []EventKind{EventStarted, EventOutput, EventOutput, EventExited}
	if !slices.Equal(story, want) || j.Output != 8 {
		t.Errorf("facts %v up to %d, want %v", story, j.Output, want)
	}
}
