package engine_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/joblog"
)

func TestWaitFor(t *testing.T) {
	ready := engine.Condition{Line: regexp.MustCompile("^ready")}
	fromNow := engine.Condition{Line: ready.Line, FromNow: true}
	for name, tt := range map[string]struct {
		before string
		c      engine.Condition
		then   func(*fakeJob)
		want   engine.Outcome
		err    error
	}{
		"a line that is there":        {"one\nready now\n", ready, nil, engine.Outcome{Met: true, Line: "ready now"}, nil},
		"a prompt":                    {"one\nready> ", ready, nil, engine.Outcome{Met: true, Line: "ready> "}, nil},
		"a line that comes":           {"one\nre", ready, func(j *fakeJob) { j.Print("ady\n") }, engine.Outcome{Met: true, Line: "ready"}, nil},
		"the last line":               {"", ready, func(j *fakeJob) { j.Print("ready"); j.Exit(0) }, engine.Outcome{Met: true, Line: "ready"}, nil},
		"no such line":                {"one\n", ready, nil, engine.Outcome{}, context.DeadlineExceeded},
		"an end before the line":      {"one\n", ready, func(j *fakeJob) { j.Exit(3) }, engine.Outcome{}, nil},
		"no line from now on":         {"ready\nready", fromNow, nil, engine.Outcome{}, context.DeadlineExceeded},
		"a line from now on":          {"ready", fromNow, func(j *fakeJob) { j.Print("\nready too\n") }, engine.Outcome{Met: true, Line: "ready"}, nil},
		"the end":                     {"", engine.Condition{}, func(j *fakeJob) { j.Exit(3) }, engine.Outcome{Met: true}, nil},
		"quiet":                       {"one\n", engine.Condition{Quiet: time.Second}, nil, engine.Outcome{Met: true}, nil},
		"not yet quiet":               {"one\n", engine.Condition{Quiet: time.Hour}, nil, engine.Outcome{}, context.DeadlineExceeded},
		"quiet, because it has ended": {"", engine.Condition{Quiet: time.Hour}, func(j *fakeJob) { j.Exit(3) }, engine.Outcome{Met: true}, nil},
		"an end before the port":      {"", engine.Condition{Port: 1}, func(j *fakeJob) { j.Exit(3) }, engine.Outcome{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			e, f := withFake(t)
			j := f.Job(start(t, e, engine.Spec{}).ID)
			j.Print(tt.before)
			limit := 2 * time.Second
			if tt.err == nil {
				limit = patience
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			if tt.then != nil {
				over, done := make(chan struct{}), make(chan struct{})
				go func() {
					defer close(done)
					<-time.After(50 * time.Millisecond)
					tt.then(j)
					for tt.c.FromNow { // the wait may have begun only after the line
						select {
						case <-time.After(50 * time.Millisecond):
							tt.then(j)
						case <-over:
							return
						}
					}
				}()
				defer func() { close(over); <-done }() // the wait may return first
			}
			got, err := e.Handle(j.Launch.ID).WaitFor(ctx, tt.c)
			if !errors.Is(err, tt.err) || got.Met != tt.want.Met || got.Line != tt.want.Line {
				t.Errorf("%+v, %v; want %+v, %v", got, err, tt.want, tt.err)
			}
			if got.Line == "" && !got.Met && tt.err == nil && code(t, got.Exit) != 3 {
				t.Errorf("it ended with %+v", got.Exit)
			}
		})
	}
}

// Silence before the call counts if the waiting began earlier.
func TestWaitForQuietSince(t *testing.T) {
	longAgo := time.Now().Add(-2 * time.Hour)
	for name, tt := range map[string]struct {
		since, printed time.Time
		err            error
	}{
		"quiet since then":      {longAgo, longAgo, nil},
		"it printed since then": {longAgo, time.Now(), context.DeadlineExceeded},
		"it began just now":     {time.Now(), longAgo, context.DeadlineExceeded},
		"silence from now on":   {time.Time{}, longAgo, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			e, f := withFake(t)
			j := f.Job(start(t, e, engine.Spec{}).ID)
			j.Print("one\n")
			if err := os.Chtimes(filepath.Join(j.Launch.Dir, "output.log"), tt.printed, tt.printed); err != nil {
				t.Fatal(err)
			}
			limit := time.Second
			if tt.err == nil {
				limit = patience
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			got, err := e.Handle(j.Launch.ID).WaitFor(ctx, engine.Condition{Quiet: time.Hour, Since: tt.since})
			if !errors.Is(err, tt.err) || got.Met != (tt.err == nil) {
				t.Errorf("%+v, %v; want %v", got, err, tt.err)
			}
		})
	}
}

// A log on a host that was unreachable is read again, and completely once more when the job has
// ended.
func TestLookRetriesUnreachableHost(t *testing.T) {
	e, f := withFake(t)
	j := f.Job(start(t, e, engine.Spec{}).ID)
	failures, ends := 1, 0
	out, err := e.Handle(j.Launch.ID).WaitFor(t.Context(), engine.Condition{Look: func(now engine.Job) error {
		if now.Status.Finished() {
			ends++
		}
		if failures--; failures >= 0 {
			return &engine.Error{Op: "read", Err: engine.ErrUnreachable}
		}
		j.Exit(4)
		return nil
	}})
	if err != nil || code(t, out.Exit) != 4 || ends != 1 {
		t.Errorf("%+v, %v, looked %d times after the end", out.Exit, err, ends)
	}
}

func TestFollower(t *testing.T) {
	e := open(t)
	x := create(t, e, engine.ExecutionSpec{})
	x.Append([]byte("0\n1\n2"))
	l := openLog(t, e, x.ID(), engine.StreamOutput)
	follow := func(q joblog.Query) *joblog.Follower {
		t.Helper()
		f, err := l.Follow(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	followers := map[string]struct {
		f               *joblog.Follower
		first, then, at []string
	}{
		"all":         {follow(joblog.Query{}), []string{"0", "1"}, []string{"23", "4"}, []string{"5"}},
		"from 1":      {follow(joblog.Query{From: 1}), []string{"1"}, []string{"23", "4"}, []string{"5"}},
		"from 3":      {follow(joblog.Query{From: 3}), nil, []string{"4"}, []string{"5"}},
		"last two":    {follow(joblog.Query{Last: true, Limit: 2}), []string{"1"}, []string{"23", "4"}, []string{"5"}},
		"new":         {follow(joblog.Query{Last: true}), nil, []string{"23", "4"}, []string{"5"}},
		"exclude 4":   {follow(joblog.Query{Exclude: regexp.MustCompile("4")}), []string{"0", "1"}, []string{"23"}, []string{"5"}},
		"last 2 or 4": {follow(joblog.Query{Filter: regexp.MustCompile("[24]"), Last: true, Limit: 1}), nil, []string{"23", "4"}, nil},
	}
	read := func(step string, rest bool, want func(name string) []string) {
		for name, tt := range followers {
			lines, err := linesOf(tt.f.Read(t.Context(), rest))
			if diff := cmp.Diff(want(name), texts(lines)); diff != "" || err != nil {
				t.Errorf("%s, %s: %v\n%s", name, step, err, diff)
			}
		}
	}
	read("first", false, func(name string) []string { return followers[name].first })
	x.Append([]byte("3\n4\n5"))
	read("then", false, func(name string) []string { return followers[name].then })
	read("at the end", true, func(name string) []string { return followers[name].at })
}

func TestPiecesSkipDroppedRanges(t *testing.T) {
	e := open(t)
	x := create(t, e, engine.ExecutionSpec{LogLimit: 2 << 20})
	block := bytes.Repeat([]byte("x"), 1<<10)
	for range 4 << 10 {
		x.Append(block)
	}
	l := openLog(t, e, x.ID(), engine.StreamOutput)
	var copied, dropped, next int64
	for piece, err := range l.Pieces(t.Context(), 0) {
		if err != nil || bytes.IndexByte(piece.Data, 0) >= 0 {
			t.Fatalf("at %d: %v", piece.Next, err)
		}
		copied, dropped, next = copied+int64(len(piece.Data)), dropped+piece.Dropped, piece.Next
	}
	if next != 4<<20 || copied+dropped != next {
		t.Errorf("%d bytes and %d dropped, up to %d", copied, dropped, next)
	}
	for piece, err := range l.Pieces(t.Context(), next) {
		t.Errorf("behind the end: %+v, %v", piece, err)
	}
}

// A job that is cleared before the wait begins has ended, whatever the condition.
func TestWaitForClearedJob(t *testing.T) {
	e, f := withFake(t)
	j := start(t, e, engine.Spec{})
	f.Job(j.ID).Exit(3)
	if _, err := e.Handle(j.ID).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Remove(t.Context(), engine.RemoveOptions{}, j.ID); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		c   engine.Condition
		met bool
	}{
		"the end": {engine.Condition{}, true},
		"quiet":   {engine.Condition{Quiet: time.Hour}, true},
		"a line":  {engine.Condition{Line: regexp.MustCompile("ready")}, false},
		"a port":  {engine.Condition{Port: 1}, false},
	} {
		got, err := e.Handle(j.ID).WaitFor(t.Context(), tt.c)
		if err != nil || got.Met != tt.met || code(t, got.Exit) != 3 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if _, err := e.Handle("never-was-22222").WaitFor(t.Context(), engine.Condition{}); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("a job that never was: %v", err)
	}
}
