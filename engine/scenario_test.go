package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
)

// A tool that is not a process is sent to the background halfway: a subscriber receives all of its
// output and one end.
func TestVirtualExecutionContinuesInBackground(t *testing.T) {
	e := open(t)
	s, _ := subscribe(t, e, engine.Filter{})
	x := create(t, e, engine.ExecutionSpec{})
	var ends atomic.Int32
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if _, err := e.Handle(x.ID()).Wait(t.Context()); err == nil {
			ends.Add(1)
		}
	})
	x.Append([]byte("before "))
	if kinds, _ := story(t, s, engine.EventOutput); strings.Join(kinds, " ") != "created started output" {
		t.Errorf("facts %q", kinds)
	}
	if err := e.Handle(x.ID()).Background(); err != nil {
		t.Fatal(err)
	}
	kinds, evs := story(t, s, engine.EventBackgrounded)
	if strings.Join(kinds, " ") != "backgrounded" || evs[0].Job.Name != "virtual thing" || !evs[0].Job.Backgrounded {
		t.Errorf("facts %q: %+v", kinds, evs)
	}
	x.Append([]byte("after"))
	story(t, s, engine.EventOutput)
	three := 3
	if err := x.Complete(engine.Exit{Code: &three}); err != nil {
		t.Fatal(err)
	}
	if kinds, evs = story(t, s, engine.EventExited); strings.Join(kinds, " ") != "exited" || evs[0].Offset != 12 {
		t.Errorf("facts %q: %+v", kinds, evs)
	}
	if p := poll(t, e, x.ID(), "a", 0); string(p.Output) != "before after" {
		t.Errorf("output %q", p.Output)
	}
	if j := get(t, e, x.ID()); j.Kind != engine.KindVirtual || code(t, j.Exit) != 3 || !j.Backgrounded {
		t.Errorf("job = %+v", j)
	}
	waiting.Wait()
	if ends.Load() != 1 {
		t.Errorf("%d ends reported", ends.Load())
	}
}

func TestManyReadersOneWriter(t *testing.T) {
	e := open(t)
	x := create(t, e, engine.ExecutionSpec{})
	const lines = 400
	var readers sync.WaitGroup
	for i := range 10 {
		readers.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			var all strings.Builder
			for over := false; !over; {
				p, err := e.Handle(x.ID()).Poll(ctx, engine.PollOptions{Client: fmt.Sprint("reader", i), Wait: time.Minute})
				if err != nil {
					t.Error(err)
					return
				}
				all.Write(p.Output)
				over = p.Job.Status.Finished() && !p.More
			}
			if n := strings.Count(all.String(), "\n"); n != lines || !strings.HasSuffix(all.String(), "line 399\n") {
				t.Errorf("reader %d has %d lines", i, n)
			}
		})
	}
	for i := range lines {
		x.Append([]byte(fmt.Sprintf("line %d\n", i)))
	}
	if err := x.Complete(engine.Exit{}); err != nil {
		t.Fatal(err)
	}
	readers.Wait()
}

// A poll that is canceled before it begins consumes nothing.
func TestCanceledPollConsumesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, f := withFake(t)
		j := start(t, e, engine.Spec{})
		f.Job(j.ID).Print("kept")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if p, err := e.Handle(j.ID).Poll(ctx, engine.PollOptions{Client: "a", Wait: time.Hour}); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v, %v", p, err)
		}
		if p := poll(t, e, j.ID, "a", 0); string(p.Output) != "kept" {
			t.Errorf("output %q", p.Output)
		}
	})
}

// Jobs started at the same moment keep their order while they end one after the other.
func TestListOrderIsStable(t *testing.T) {
	c := newClock()
	e, f := withFake(t, engine.WithClock(c.now))
	first := start(t, e, engine.Spec{})
	c.move(time.Second)
	twins := []engine.Job{start(t, e, engine.Spec{}), start(t, e, engine.Spec{})}
	c.move(time.Second)
	last := start(t, e, engine.Spec{})
	want := ids(list(t, e, engine.Filter{}))
	if want[0] != last.ID || want[3] != first.ID {
		t.Fatalf("not newest first: %v", want)
	}
	for _, j := range []engine.Job{twins[0], last, first, twins[1]} {
		f.Job(j.ID).Exit(0)
		for range 2 {
			if diff := cmp.Diff(want, ids(list(t, e, engine.Filter{}))); diff != "" {
				t.Errorf("after the end of %s:\n%s", j.ID, diff)
			}
		}
	}
}

func TestRemoveOfFinishedJobStopsNothing(t *testing.T) {
	e, f := withFake(t)
	s, _ := subscribe(t, e, engine.Filter{})
	done := start(t, e, engine.Spec{})
	story(t, s, engine.EventStarted) // a job that is created and removed between two scans is never reported
	running := start(t, e, engine.Spec{})
	story(t, s, engine.EventStarted)
	f.Job(done.ID).Exit(3)
	for _, j := range []engine.Job{done, running} {
		if _, err := e.Remove(t.Context(), engine.RemoveOptions{Stop: true}, j.ID); err != nil {
			t.Fatal(err)
		}
		if _, evs := story(t, s, engine.EventRemoved); evs[len(evs)-1].Job.ID != j.ID {
			t.Errorf("a removed job was reported as %s", evs[len(evs)-1].Job.ID)
		}
	}
	if n, m := len(f.Job(done.ID).Stops()), len(f.Job(running.ID).Stops()); n != 0 || m != 1 {
		t.Errorf("the finished one was stopped %d times, the running one %d times", n, m)
	}
}
