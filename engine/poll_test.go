package engine_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/hobjobs/hob/engine"
)

func poll(t *testing.T, e *engine.Engine, id engine.ID, client string, wait time.Duration) engine.Poll {
	t.Helper()
	p, err := e.Handle(id).Poll(t.Context(), engine.PollOptions{Client: client, Wait: wait})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPollReturnsOutputOncePerClient(t *testing.T) {
	e, f := withFake(t)
	j := start(t, e, engine.Spec{})
	f.Job(j.ID).Print("one ")
	if p := poll(t, e, j.ID, "a", 0); string(p.Output) != "one " || p.Cursor != 4 || p.More {
		t.Errorf("first: %+v", p)
	}
	f.Job(j.ID).Print("two")
	// Another engine continues for the same client.
	again := open(t, engine.WithStateDir(e.StateDir()), engine.WithBackend(f))
	if p := poll(t, again, j.ID, "a", 0); string(p.Output) != "two" {
		t.Errorf("second: %q", p.Output)
	}
	if p := poll(t, e, j.ID, "a", 0); len(p.Output) != 0 || p.Job.Status != engine.Running {
		t.Errorf("nothing new: %+v", p)
	}
	f.Job(j.ID).Exit(0)
	if p := poll(t, e, j.ID, "../../b c", 0); string(p.Output) != "one two" || p.Job.Status != engine.Exited {
		t.Errorf("another client: %+v", p)
	}
	if p, err := e.Handle(j.ID).Poll(t.Context(), engine.PollOptions{Cursor: new(int64(2))}); err != nil || string(p.Output) != "e two" || p.Cursor != 7 {
		t.Errorf("stateless: %+v, %v", p, err)
	}
	if p, err := e.Handle(j.ID).Poll(t.Context(), engine.PollOptions{Cursor: new(int64(99)), Wait: time.Hour}); err != nil || len(p.Output) != 0 || p.Cursor != 7 {
		t.Errorf("behind the end: %+v, %v", p, err)
	}
}

func TestPollWaits(t *testing.T) {
	for name, c := range map[string]struct {
		act  func(*testing.T, *engine.Engine, engine.ID, func(string), func(int))
		wait time.Duration
		took time.Duration
		out  string
		end  bool
	}{
		"for output": {func(_ *testing.T, _ *engine.Engine, _ engine.ID, print func(string), _ func(int)) {
			time.Sleep(3 * time.Second)
			print("late")
		}, time.Minute, 3 * time.Second, "late", false},
		"for the end": {func(_ *testing.T, _ *engine.Engine, _ engine.ID, _ func(string), exit func(int)) {
			time.Sleep(2 * time.Second)
			exit(0)
		}, time.Minute, 2 * time.Second, "", true},
		"in vain":    {func(*testing.T, *engine.Engine, engine.ID, func(string), func(int)) {}, time.Minute, time.Minute, "", false},
		"not at all": {func(*testing.T, *engine.Engine, engine.ID, func(string), func(int)) {}, 0, 0, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, f := withFake(t)
				j := start(t, e, engine.Spec{})
				go c.act(t, e, j.ID, f.Job(j.ID).Print, f.Job(j.ID).Exit)
				began := time.Now()
				p := poll(t, e, j.ID, "a", c.wait)
				if took := time.Since(began); took != c.took || string(p.Output) != c.out || p.Job.Status.Finished() != c.end {
					t.Errorf("after %v: %+v", took, p)
				}
			})
		})
	}
}

func TestConcurrentPollsShareOutput(t *testing.T) {
	e, f := withFake(t)
	j := start(t, e, engine.Spec{})
	other := open(t, engine.WithStateDir(e.StateDir()), engine.WithBackend(f))
	type part struct {
		end  int64
		text string
	}
	parts := make(chan part, 10_000)
	var wg sync.WaitGroup
	for _, eng := range []*engine.Engine{e, e, e, other, other} {
		wg.Go(func() {
			for {
				p, err := eng.Handle(j.ID).Poll(t.Context(), engine.PollOptions{Client: "a", Wait: patience})
				if err != nil {
					t.Error(err)
					return
				}
				if len(p.Output) > 0 {
					parts <- part{p.Cursor, string(p.Output)}
				} else if p.Job.Status.Finished() {
					return
				}
			}
		})
	}
	var want strings.Builder
	for i := range 500 {
		line := fmt.Sprintln("line", i)
		want.WriteString(line)
		f.Job(j.ID).Print(line)
	}
	f.Job(j.ID).Exit(0)
	wg.Wait()
	close(parts)
	var got []part
	for p := range parts {
		got = append(got, p)
	}
	slices.SortFunc(got, func(a, b part) int { return cmp.Compare(a.end, b.end) })
	var all strings.Builder
	for _, p := range got {
		all.WriteString(p.text)
	}
	if all.String() != want.String() {
		t.Errorf("%d bytes in %d parts, want %d bytes once each", all.Len(), len(got), want.Len())
	}
}

func TestInterruptedPollConsumesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, f := withFake(t)
		j := start(t, e, engine.Spec{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := e.Handle(j.ID).Poll(ctx, engine.PollOptions{Client: "a", Wait: time.Hour}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("err = %v", err)
		}
		f.Job(j.ID).Print("kept")
		if p := poll(t, e, j.ID, "a", 0); string(p.Output) != "kept" {
			t.Errorf("output %q", p.Output)
		}
	})
}

func TestLongOutputIsPolledInPieces(t *testing.T) {
	e, f := withFake(t)
	j := start(t, e, engine.Spec{})
	text := strings.Repeat("0123456789abcde\n", 200_000)
	f.Job(j.ID).Print(text)
	var all strings.Builder
	for i := 0; ; i++ {
		p := poll(t, e, j.ID, "a", 0)
		all.Write(p.Output)
		if !p.More {
			break
		}
		if i > 10 {
			t.Fatal("no end")
		}
	}
	if all.String() != text {
		t.Errorf("%d bytes of %d", all.Len(), len(text))
	}
}

func TestPollOfSplitStreams(t *testing.T) {
	e, f := withFake(t)
	j := start(t, e, engine.Spec{Split: true})
	f.Job(j.ID).PrintTo(engine.StreamStderr, "err")
	f.Job(j.ID).PrintTo(engine.StreamStdout, "out")
	if p := poll(t, e, j.ID, "a", 0); string(p.Output) != "outerr" || p.Cursor != 6 {
		t.Errorf("first: %+v", p)
	}
	f.Job(j.ID).PrintTo(engine.StreamStderr, "more")
	if p := poll(t, e, j.ID, "a", 0); string(p.Output) != "more" {
		t.Errorf("second: %+v", p)
	}
	// One number identifies the position in both streams, the same for every client.
	f.Job(j.ID).PrintTo(engine.StreamStdout, "last")
	for cursor, want := range map[int64]string{0: "outerrmorelast", 2: "terrmorelast", 4: "rrmorelast", 8: "relast", 10: "last", 14: "", 99: ""} {
		p, err := e.Handle(j.ID).Poll(t.Context(), engine.PollOptions{Cursor: &cursor})
		if err != nil || string(p.Output) != want || p.Cursor != 14 {
			t.Errorf("from %d: %q, cursor %d, %v", cursor, p.Output, p.Cursor, err)
		}
	}
}

func TestPollLeavesIncompleteSequences(t *testing.T) {
	for name, split := range map[string]bool{"one stream": false, "two": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, f := withFake(t)
				j := start(t, e, engine.Spec{Split: split})
				stream := engine.StreamOutput
				if split {
					stream = engine.StreamStderr
				}
				print := func(s string) { f.Job(j.ID).PrintTo(stream, s) }
				for _, step := range []struct{ print, want string }{
					{"caf\xc3", "caf"},
					{"\xa9 \x1b[3", "\xc3\xa9 "},
					{"1mred\x1b]0;ti", "\x1b[31mred"},
					{"tle\a\xe6", "\x1b]0;title\a"},
				} {
					print(step.print)
					if p := poll(t, e, j.ID, "a", 0); string(p.Output) != step.want || p.More {
						t.Errorf("after %q: %q", step.print, p.Output)
					}
				}
				// An incomplete rest alone does not end the wait.
				began := time.Now()
				go func() {
					time.Sleep(time.Second)
					print("\x97\xa5")
				}()
				if p := poll(t, e, j.ID, "a", time.Hour); string(p.Output) != "\xe6\x97\xa5" || time.Since(began) != time.Second {
					t.Errorf("waiting: %q after %v", p.Output, time.Since(began))
				}
				print("end\xc3")
				f.Job(j.ID).Exit(0)
				if p := poll(t, e, j.ID, "a", time.Hour); string(p.Output) != "end\xc3" || p.More {
					t.Errorf("at the end: %q", p.Output)
				}
				if p := poll(t, e, j.ID, "a", 0); len(p.Output) != 0 {
					t.Errorf("once more: %q", p.Output)
				}
			})
		})
	}
}

func TestPollSplitsBetweenCharacters(t *testing.T) {
	e, f := withFake(t)
	j := start(t, e, engine.Spec{})
	f.Job(j.ID).Print("x" + strings.Repeat("\u65e5", 1_000_000))
	for more := true; more; {
		p := poll(t, e, j.ID, "a", 0)
		if !utf8.Valid(p.Output) {
			t.Errorf("cut within a character at %d", p.Cursor)
		}
		more = p.More
	}
}
