package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
)

func subscribe(t *testing.T, e *engine.Engine, f engine.Filter) (*engine.Subscription, []engine.Event) {
	t.Helper()
	s := e.Subscribe(f)
	t.Cleanup(func() { s.Close() })
	batch, err := s.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s, batch
}

// story reads until an event of that kind and returns all kinds in order.
func story(t *testing.T, s *engine.Subscription, last engine.EventKind) (kinds []string, events []engine.Event) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		batch, err := s.Next(ctx)
		if err != nil {
			t.Fatalf("after %q: %v", kinds, err)
		}
		for _, ev := range batch {
			kinds = append(kinds, string(ev.Kind))
			events = append(events, ev)
		}
		if events[len(events)-1].Kind == last {
			return kinds, events
		}
	}
}

func TestSnapshotThenEveryEventOnce(t *testing.T) {
	e, f := withFake(t)
	old := start(t, e, engine.Spec{})
	f.Job(old.ID).Print("abc")
	s, first := subscribe(t, e, engine.Filter{})
	if len(first) != 1 || first[0].Kind != engine.EventCreated || first[0].Job.ID != old.ID || first[0].Offset != 3 {
		t.Fatalf("snapshot = %+v", first)
	}
	f.Job(old.ID).Exit(1)
	kinds, evs := story(t, s, engine.EventExited)
	if strings.Join(kinds, " ") != "exited" || evs[0].Job.Status != engine.Exited || evs[0].Offset != 3 {
		t.Errorf("facts %q: %+v", kinds, evs)
	}
	if _, err := e.Remove(t.Context(), engine.RemoveOptions{}, old.ID); err != nil {
		t.Fatal(err)
	}
	if kinds, _ := story(t, s, engine.EventRemoved); strings.Join(kinds, " ") != "removed" {
		t.Errorf("facts %q", kinds)
	}
	if _, err := e.Undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if kinds, _ := story(t, s, engine.EventExited); strings.Join(kinds, " ") != "created started output exited" {
		t.Errorf("facts %q", kinds)
	}
}

func TestEventsOfAnotherProgram(t *testing.T) {
	e, f := withFake(t)
	other := open(t, engine.WithStateDir(e.StateDir()), engine.WithBackend(f))
	s, first := subscribe(t, e, engine.Filter{})
	if len(first) != 0 {
		t.Fatalf("snapshot = %+v", first)
	}
	j := start(t, other, engine.Spec{})
	if kinds, _ := story(t, s, engine.EventStarted); strings.Join(kinds, " ") != "created started" {
		t.Errorf("facts %q", kinds)
	}
	f.Job(j.ID).Waiting(true)
	story(t, s, engine.EventWaiting)
	f.Job(j.ID).Entry(engine.EntryHidden)
	if _, evs := story(t, s, engine.EventTitle); evs[len(evs)-1].Job.Entry != engine.EntryHidden {
		t.Errorf("facts %+v", evs)
	}
	f.Job(j.ID).Title("new")
	if _, evs := story(t, s, engine.EventTitle); evs[len(evs)-1].Job.Title != "new" {
		t.Errorf("facts %+v", evs)
	}
	f.Job(j.ID).Notify("built", "in 3 s")
	if _, evs := story(t, s, engine.EventAttention); evs[len(evs)-1].Note != (engine.Note{Title: "built", Body: "in 3 s"}) {
		t.Errorf("facts %+v", evs)
	}
	if err := other.Handle(j.ID).Background(); err != nil {
		t.Fatal(err)
	}
	story(t, s, engine.EventBackgrounded)
	f.Job(j.ID).Die()
	story(t, s, engine.EventLost)
}

func TestOutputEventsMergeAndEndIsDelivered(t *testing.T) {
	e, f := withFake(t)
	j := start(t, e, engine.Spec{})
	s, _ := subscribe(t, e, engine.Filter{})
	for range 1000 {
		f.Job(j.ID).Print("x")
	}
	f.Job(j.ID).Exit(0)
	kinds, evs := story(t, s, engine.EventExited)
	last := evs[len(evs)-1]
	if last.Offset != 1000 || last.Job.Output != 1000 || strings.Count(strings.Join(kinds, " "), "exited") != 1 || len(kinds) > 100 {
		t.Errorf("%d facts, the last %+v", len(kinds), last)
	}
	offset := int64(0)
	for _, ev := range evs {
		if ev.Offset < offset {
			t.Errorf("offsets go back: %d after %d", ev.Offset, offset)
		}
		offset = ev.Offset
	}
}

func TestBatchesAreThrottled(t *testing.T) {
	e, f := withFake(t)
	j := start(t, e, engine.Spec{})
	s, _ := subscribe(t, e, engine.Filter{})
	stop := make(chan struct{})
	writing := make(chan struct{})
	go func() {
		defer close(writing)
		for {
			select {
			case <-stop:
				return
			default:
				f.Job(j.ID).Print("x")
			}
		}
	}()
	began := time.Now()
	for range 5 {
		if _, err := s.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	took := time.Since(began)
	close(stop)
	<-writing
	if took < 4*33*time.Millisecond {
		t.Errorf("five batches of output in %v", took)
	}
}

func TestSubscriptionFilter(t *testing.T) {
	e, f := withFake(t)
	s, _ := subscribe(t, e, engine.Filter{Running: true, Labels: map[string]string{"a": "1"}})
	start(t, e, engine.Spec{Labels: map[string]string{"a": "2"}})
	j := start(t, e, engine.Spec{Labels: map[string]string{"a": "1"}})
	story(t, s, engine.EventStarted)
	f.Job(j.ID).Exit(0)
	// The end makes the job stop matching the filter, and is delivered.
	_, evs := story(t, s, engine.EventExited)
	for _, ev := range evs {
		if ev.Job.ID != j.ID {
			t.Errorf("not selected: %+v", ev)
		}
	}
}

func TestSubscriptionEnds(t *testing.T) {
	e, _ := withFake(t)
	s, _ := subscribe(t, e, engine.Filter{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("done context: %v", err)
	}
	got := make(chan error, 1)
	go func() { _, err := s.Next(context.Background()); got <- err }()
	s.Close()
	if err := <-got; !errors.Is(err, engine.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	// A second subscription starts over and ends with the engine.
	next, _ := subscribe(t, e, engine.Filter{})
	go func() { _, err := next.Next(context.Background()); got <- err }()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; !errors.Is(err, engine.ErrClosed) {
		t.Errorf("engine closed: %v", err)
	}
	if _, err := e.Subscribe(engine.Filter{}).Next(t.Context()); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("subscribe to a closed engine: %v", err)
	}
}

func TestDirectoryDeletedByHandIsReportedAsRemoved(t *testing.T) {
	e, f := withFake(t)
	j := start(t, e, engine.Spec{})
	f.Job(j.ID).Exit(0)
	s, _ := subscribe(t, e, engine.Filter{})
	if err := os.RemoveAll(filepath.Join(e.StateDir(), "jobs", string(j.ID))); err != nil {
		t.Fatal(err)
	}
	story(t, s, engine.EventRemoved)
}

// A job appears with its whole history: here after an undo, otherwise when it was created between
// two scans of the directory.
func TestJobFirstSeenInBackgroundIsBackgroundedOnce(t *testing.T) {
	e, _ := withFake(t)
	x := create(t, e, engine.ExecutionSpec{Name: "sent"})
	before := time.Now()
	x.Append([]byte("abc"))
	if err := e.Handle(x.ID()).Background(); err != nil {
		t.Fatal(err)
	}
	x.Append([]byte("def"))
	after := time.Now()
	if err := x.Complete(engine.Exit{}); err != nil {
		t.Fatal(err)
	}
	born := start(t, e, engine.Spec{Backgrounded: true})
	if _, err := e.Handle(born.ID).Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow}); err != nil {
		t.Fatal(err)
	}
	s, first := subscribe(t, e, engine.Filter{})
	for _, ev := range first {
		if ev.Kind != engine.EventCreated || !ev.Job.Backgrounded {
			t.Errorf("snapshot has %s of %s, backgrounded %v", ev.Kind, ev.Job.ID, ev.Job.Backgrounded)
		}
	}
	for id, want := range map[engine.ID]string{
		x.ID():  "created started backgrounded output exited",
		born.ID: "created started exited", // started in the background
	} {
		if _, err := e.Remove(t.Context(), engine.RemoveOptions{}, id); err != nil {
			t.Fatal(err)
		}
		story(t, s, engine.EventRemoved)
		if _, err := e.Undo(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		kinds, evs := story(t, s, engine.EventExited)
		if got := strings.Join(kinds, " "); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
		for _, ev := range evs {
			if ev.Kind == engine.EventBackgrounded && (ev.Offset != 3 || ev.At.Before(before) || ev.At.After(after)) {
				t.Errorf("it was sent away at offset %d, %v", ev.Offset, ev.At)
			}
		}
	}
}

func TestHistory(t *testing.T) {
	e, _ := withFake(t)
	x := create(t, e, engine.ExecutionSpec{})
	between := time.Now()
	if err := e.Handle(x.ID()).Background(); err != nil {
		t.Fatal(err)
	}
	if err := x.Complete(engine.Exit{}); err != nil {
		t.Fatal(err)
	}
	kindsSince := func(since time.Time) string {
		evs, err := e.History(t.Context(), since)
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, ev := range evs {
			kinds = append(kinds, string(ev.Kind))
		}
		return strings.Join(kinds, " ")
	}
	if got := kindsSince(time.Time{}); got != "created started backgrounded exited" {
		t.Errorf("all: %q", got)
	}
	if got := kindsSince(between); got != "backgrounded exited" {
		t.Errorf("later: %q", got)
	}
	if got := kindsSince(time.Now().Add(time.Hour)); got != "" {
		t.Errorf("the future: %q", got)
	}
}

func TestSecondSubscriptionSeesJobsTheFirstDidNotSelect(t *testing.T) {
	e, f := withFake(t)
	a, b := start(t, e, engine.Spec{}), start(t, e, engine.Spec{})
	narrow, first := subscribe(t, e, engine.Filter{IDs: []engine.ID{a.ID}})
	if len(first) != 1 || first[0].Job.ID != a.ID {
		t.Fatalf("snapshot = %+v", first)
	}
	f.Job(b.ID).Print("unseen")
	wide, first := subscribe(t, e, engine.Filter{})
	for _, ev := range first {
		if ev.Job.ID == b.ID && ev.Offset != 6 {
			t.Errorf("the snapshot is behind: %+v", ev)
		}
	}
	f.Job(b.ID).Exit(0)
	story(t, wide, engine.EventExited)
	f.Job(a.ID).Exit(0)
	if _, evs := story(t, narrow, engine.EventExited); evs[0].Job.ID != a.ID {
		t.Errorf("facts %+v", evs)
	}
}

func TestEventsOfBinaryOutputAreMarked(t *testing.T) {
	for name, tt := range map[string]struct {
		output string
		binary bool
	}{
		"text":                   {"plain text\n", false},
		"an archive":             {"\x1f\x8b\x08\x00\x00\x00\x00\x00\xff\xfe\xf3\x99\xaa", true},
		"text behind an archive": {strings.Repeat("\x00", 8<<10) + strings.Repeat("text\n", 2<<10), false},
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := withFake(t)
			x, err := e.NewExecution(engine.ExecutionSpec{Name: "v"})
			if err != nil {
				t.Fatal(err)
			}
			s, _ := subscribe(t, e, engine.Filter{})
			x.Append([]byte(tt.output))
			_, events := story(t, s, engine.EventOutput)
			if got := events[len(events)-1]; got.Binary != tt.binary {
				t.Errorf("binary: %v, want %v", got.Binary, tt.binary)
			}
		})
	}
}
