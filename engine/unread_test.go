package engine

import (
	"strconv"
	"testing"
	"time"
)

// A subscription that is not read holds a bounded number of facts of a busy job, and every end.
func TestUnreadFactsAreBounded(t *testing.T) {
	e, err := New(WithStateDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s := e.Subscribe(Filter{})
	busy := &tracker{job: Job{Request: Request{ID: "busy"}, State: State{Status: Running}}}
	push := func(t *tracker, kinds ...EventKind) {
		for _, k := range kinds {
			s.pushLocked(t, []fact{{kind: k, offset: t.job.Output, at: time.Unix(t.job.Output, 0)}})
		}
	}
	const cycles = 20_000
	most := 0
	for i := range int64(cycles) {
		busy.job.Output = i + 1
		push(busy, EventOutput, EventAttention, EventTitle, EventWaiting)
		if i%1000 == 0 {
			short := &tracker{job: Job{Request: Request{ID: ID("short" + strconv.FormatInt(i, 10))}, State: State{Status: Exited, Exit: Exit{Status: Exited}}}}
			push(short, EventCreated, EventStarted, EventOutput, EventExited, EventRemoved)
		}
		most = max(most, len(s.queue))
	}
	busy.job.Status = Exited
	push(busy, EventExited)
	if limit := 4*maxNotes + 5*cycles/1000; most > limit {
		t.Errorf("%d facts waited", most)
	}
	batch, _ := s.take()
	counts := map[EventKind]int{}
	var last int64
	for _, ev := range batch {
		counts[ev.Kind]++
		if ev.Job.ID != busy.job.ID {
			continue
		}
		if ev.Offset < last {
			t.Errorf("%s at %d after %d", ev.Kind, ev.Offset, last)
		}
		last = ev.Offset
		if ev.Job.Status != Exited || ev.Job.Output != cycles {
			t.Errorf("%s is reported with an older job: %s, %d", ev.Kind, ev.Job.Status, ev.Job.Output)
		}
	}
	if last := batch[len(batch)-1]; last.Kind != EventExited || last.Job.ID != busy.job.ID {
		t.Errorf("the last fact is %+v", last)
	}
	if counts[EventExited] != cycles/1000+1 || counts[EventRemoved] != cycles/1000 || counts[EventAttention] != maxNotes {
		t.Errorf("of the rest: %v", counts)
	}
	if batch, wait := s.take(); batch != nil || wait != 0 {
		t.Errorf("reported again: %v", batch)
	}
}
