package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/enginetest"
)

// replica reassembles the output of a job as a subscriber does: the output up to the snapshot's
// offset, then each delta.
func replica(t *testing.T, e *engine.Engine, id engine.ID, pause func()) (text string, ends int) {
	s := e.Subscribe(engine.Filter{IDs: []engine.ID{id}})
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var b strings.Builder
	first := true
	for ends == 0 {
		events, err := s.Next(ctx)
		if err != nil {
			t.Error(err)
			return b.String(), ends
		}
		for _, ev := range events {
			if first != (ev.Kind == engine.EventCreated) {
				t.Errorf("%s at offset %d", ev.Kind, ev.Offset)
			}
			first = false
			if ev.Offset < int64(b.Len()) {
				t.Errorf("offset %d is reported after %d", ev.Offset, b.Len())
			}
			p := make([]byte, ev.Offset-int64(b.Len()))
			if n, _, err := enginetest.ReadStream(ctx, e.Handle(id), engine.StreamOutput, p, int64(b.Len())); n != len(p) || err != nil && !errors.Is(err, io.EOF) {
				t.Errorf("%d of %d bytes at %d: %v", n, len(p), b.Len(), err)
			}
			b.Write(p)
			if ev.Kind == engine.EventExited || ev.Kind == engine.EventCreated && ev.Job.Status.Finished() {
				ends++
			}
		}
		pause()
	}
	return b.String(), ends
}

// A subscriber that starts at any moment, however slowly it reads, reassembles the complete output.
func TestSnapshotAndDeltasAreCompleteOutput(t *testing.T) {
	e := open(t)
	other := open(t, engine.WithStateDir(e.StateDir()))
	x := create(t, e, engine.ExecutionSpec{})
	var want strings.Builder
	var readers sync.WaitGroup
	join := make(chan int, 20)
	for i := range 12 {
		readers.Go(func() {
			<-join
			eng := e
			if i%2 == 1 {
				eng = other
			}
			text, ends := replica(t, eng, x.ID(), func() { time.Sleep(time.Duration(i%4) * time.Millisecond) })
			if text != want.String() || ends != 1 {
				t.Errorf("reader %d has %d bytes, %d ends", i, len(text), ends)
			}
		})
	}
	for i := range 600 {
		if i%50 == 0 {
			join <- i
		}
		line := fmt.Sprintf("line %d\n", i)
		want.WriteString(line)
		x.Append([]byte(line))
		runtime.Gosched()
	}
	if err := x.Complete(engine.Exit{}); err != nil {
		t.Fatal(err)
	}
	readers.Wait()
}

func TestConcurrentBackground(t *testing.T) {
	e, f := withFake(t)
	s, _ := subscribe(t, e, engine.Filter{})
	var calls sync.WaitGroup
	r, err := e.Run(t.Context(), engine.Spec{Script: "x"}, engine.RunOptions{OnStart: func(id engine.ID) {
		story(t, s, engine.EventStarted)
		for range 10 {
			calls.Go(func() {
				if err := e.Handle(id).Background(); err != nil {
					t.Error(err)
				}
			})
		}
	}})
	if err != nil || !r.Backgrounded {
		t.Fatalf("result = %+v, err %v", r, err)
	}
	calls.Wait()
	f.Job(r.ID).Exit(0)
	kinds, _ := story(t, s, engine.EventExited)
	if n := strings.Count(strings.Join(kinds, " "), "backgrounded"); n != 1 {
		t.Errorf("facts %q", kinds)
	}
}

// The waiter does not wait for the record.
func TestBackgroundReturnsWaiterIfRecordFails(t *testing.T) {
	f := fakeHost()
	e := open(t, engine.WithBackend(f))
	var backgroundErr error
	r, err := e.Run(t.Context(), engine.Spec{Script: "x", Host: "web1"}, engine.RunOptions{OnStart: func(id engine.ID) {
		f.Cut(errors.New("no route"))
		backgroundErr = e.Handle(id).Background()
	}})
	if err != nil || !r.Backgrounded {
		t.Errorf("result = %+v, err %v", r, err)
	}
	if backgroundErr != nil && !errors.Is(backgroundErr, engine.ErrUnreachable) {
		t.Errorf("Background returned %v", backgroundErr)
	}
	f.Cut(nil)
}

func TestIDsOfConcurrentProgramsDoNotCollide(t *testing.T) {
	root := t.TempDir()
	var mu sync.Mutex
	seen := map[engine.ID]bool{}
	var work sync.WaitGroup
	for range 4 {
		e := open(t, engine.WithStateDir(root))
		work.Go(func() {
			for range 25 {
				x, err := e.NewExecution(engine.ExecutionSpec{Name: "same"})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if seen[x.ID()] {
					t.Errorf("%s twice", x.ID())
				}
				seen[x.ID()] = true
				mu.Unlock()
				if err := x.Complete(engine.Exit{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	if jobs, err := open(t, engine.WithStateDir(root)).List(t.Context(), engine.Filter{}); err != nil || len(jobs) != 100 {
		t.Errorf("%d jobs, %v", len(jobs), err)
	}
}

// Output printed while a viewer and a subscriber do not read stays in the log, not in memory.
func TestMemoryIsBoundedWithoutReaders(t *testing.T) {
	e := open(t)
	x := create(t, e, engine.ExecutionSpec{Size: engine.Size{Cols: 80, Rows: 24}})
	term, err := e.Handle(x.ID()).Terminal(t.Context(), engine.TerminalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer term.Close()
	s, _ := subscribe(t, e, engine.Filter{})
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	line := []byte(strings.Repeat("x", 1022) + "\r\n")
	const lines = 24 << 10 // of 1 KiB
	for range lines {
		x.Append(line)
	}
	if grown := heap() - before; grown > 8<<20 {
		t.Errorf("%d MiB are kept of 24 MiB", grown>>20)
	}
	if err := x.Complete(engine.Exit{}); err != nil {
		t.Fatal(err)
	}
	if _, evs := story(t, s, engine.EventExited); evs[len(evs)-1].Offset != lines<<10 || len(evs) > 20 {
		t.Errorf("%d facts, the last %+v", len(evs), evs[len(evs)-1])
	}
	// The viewer gets a snapshot instead of everything it has missed, and the end.
	v := &viewing{t: t, term: term}
	v.until(func() bool { return v.last.Exit != nil })
	if v.last.Offset != lines<<10 || len(v.all) > 4<<20 {
		t.Errorf("%d bytes up to %d", len(v.all), v.last.Offset)
	}
}
