package engine

import (
	"slices"
	"testing"
	"time"
)

// A client that reads up to each offset in turn never reads an offset twice.
func TestOffsetsOfChangeIncrease(t *testing.T) {
	began := time.Now()
	s := change{
		old: Job{State: State{Status: Starting}},
		new: Job{State: State{Status: Running, StartedAt: began, Output: 8, Backgrounded: true, Waiting: true}},
	}
	at := int64(0)
	for _, ev := range factsOf(s, began) {
		switch {
		case ev.kind == EventOutput && ev.offset <= at:
			t.Errorf("output up to %d after a fact at %d", ev.offset, at)
		case ev.offset < at:
			t.Errorf("%s at %d after a fact at %d", ev.kind, ev.offset, at)
		}
		at = ev.offset
	}
	if at != 8 {
		t.Errorf("the facts reach %d of 8 bytes", at)
	}
}

// Values that end with the job are not reported as a title change in addition to the end.
func TestEndIsNotTitleChange(t *testing.T) {
	now := time.Now()
	running := Job{State: State{Status: Running, StartedAt: now, Paused: true, Entry: EntryOpen, Alternate: true, Cwd: "/x", Progress: &Progress{}}}
	ended := Job{State: State{Status: Exited, StartedAt: now, Exit: Exit{Status: Exited, At: now}}}
	titled := ended
	titled.Title = "last words"
	for name, tt := range map[string]struct {
		new  Job
		want []EventKind
	}{
		"ended":           {ended, []EventKind{EventExited}},
		"ended and named": {titled, []EventKind{EventTitle, EventExited}},
	} {
		var got []EventKind
		for _, ev := range factsOf(change{old: running, new: tt.new}, now) {
			got = append(got, ev.kind)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// A list row shows why the last check failed; that must not be the reason of an earlier check.
func TestNewReasonOfFailedCheckIsReported(t *testing.T) {
	now := time.Now()
	failing := func(failures int, output string) Job {
		return Job{State: State{Status: Running, StartedAt: now, Health: &Health{State: Unhealthy, Failures: failures, Output: output}}}
	}
	for name, tt := range map[string]struct {
		new  Job
		want []EventKind
	}{
		"the same again": {failing(4, "connection refused"), nil},
		"another reason": {failing(4, "503 Service Unavailable"), []EventKind{EventTitle}},
	} {
		var got []EventKind
		for _, ev := range factsOf(change{old: failing(3, "connection refused"), new: tt.new}, now) {
			got = append(got, ev.kind)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// The facts of a new job are ordered by time.
func TestInitialFactsAreInOrder(t *testing.T) {
	began := time.Now()
	running := Job{Request: Request{CreatedAt: began}, State: State{Status: Running, StartedAt: began.Add(time.Millisecond), Output: 8}}
	ended := running
	ended.Status, ended.Exit = Exited, Exit{Status: Exited, At: began.Add(time.Second)}
	for _, j := range []Job{running, ended} {
		at := began
		for _, ev := range initialFacts(j, nil, began.Add(time.Minute)) {
			if ev.at.Before(at) {
				t.Errorf("%s: %s is %v too early", j.Status, ev.kind, at.Sub(ev.at))
			}
			at = ev.at
		}
	}
}

// A host that answers for the first time is reported also where nothing of the job has changed, or
// clients show for ever that they are connecting.
func TestFirstAnswerOfHostIsReported(t *testing.T) {
	now := time.Now()
	current := Job{State: State{Status: Running, StartedAt: now, Link: LinkOK}}
	stale := current
	stale.StaleSince = now
	if got := factsOf(change{old: stale, new: current}, now); len(got) != 1 || got[0].kind != EventLink {
		t.Errorf("reported %+v", got)
	}
}
