package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/jobdir"
)

// A program may be killed at any moment while it passes on what it has read.
func TestPollToKeepsUndeliveredOutput(t *testing.T) {
	e, f := withFake(t)
	j := start(t, e, engine.Spec{})
	long := strings.Repeat("0123456789abcde\n", 3<<16) // several pieces
	f.Job(j.ID).Print(long)
	dir := e.StateDir() + "/jobs/" + string(j.ID)
	got, pieces := "", 0
	take := func(p *engine.Poll) error { //nolint:unparam // it is what Poll takes
		if n := jobdir.ReadCursor(dir, "a"); n != 0 {
			t.Errorf("%d bytes count as read before they are handed on", n)
		}
		got += string(p.Output)
		pieces++
		return nil
	}
	gone := errors.New("the reader has gone")
	_, err := e.Handle(j.ID).Poll(t.Context(), engine.PollOptions{Client: "a", Deliver: func(p *engine.Poll) error {
		if err := take(p); p.More {
			return err
		}
		return gone
	}})
	if !errors.Is(err, gone) || got != long || pieces < 2 {
		t.Fatalf("%d bytes in %d pieces, %v", len(got), pieces, err)
	}
	got = ""
	if _, err := e.Handle(j.ID).Poll(t.Context(), engine.PollOptions{Client: "a", Deliver: take}); err != nil || got != long {
		t.Errorf("again %d bytes, %v", len(got), err)
	}
	f.Job(j.ID).Print("more\n")
	if p := poll(t, e, j.ID, "a", 0); string(p.Output) != "more\n" {
		t.Errorf("then %q", p.Output)
	}
	f.Job(j.ID).Exit(3)
	_, err = e.Handle(j.ID).Poll(t.Context(), engine.PollOptions{Client: "a", Wait: time.Minute, Deliver: func(p *engine.Poll) error {
		if len(p.Output) > 0 || p.Job.Status != engine.Exited {
			t.Errorf("at the end %q, %s", p.Output, p.Job.Status)
		}
		return nil
	}})
	if err != nil {
		t.Error(err)
	}
}

// The next poll returns what deliver did not consume.
func TestPollLeavesRestToNextPoll(t *testing.T) {
	e, f := withFake(t)
	j := start(t, e, engine.Spec{})
	long := strings.Repeat("0123456789abcde\n", 3<<16) // several pieces
	f.Job(j.ID).Print(long + "unfinished")
	got := ""
	for range 100 {
		_, err := e.Handle(j.ID).Poll(t.Context(), engine.PollOptions{Client: "a", Deliver: func(p *engine.Poll) error {
			got += string(p.Output)
			p.More = false
			if rest, ok := strings.CutSuffix(got, "unfinished"); ok {
				got = rest
				p.Cursor -= int64(len("unfinished"))
			}
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		if got == long {
			break
		}
	}
	if p := poll(t, e, j.ID, "a", 0); got != long || string(p.Output) != "unfinished" {
		t.Errorf("%d bytes, then %q", len(got), p.Output)
	}
}

// Concurrent polls of one client share the output even if the first one is slow.
func TestPollsOfOneClientAreSerialized(t *testing.T) {
	e, f := withFake(t)
	other := open(t, engine.WithStateDir(e.StateDir()), engine.WithBackend(f))
	j := start(t, e, engine.Spec{})
	f.Job(j.ID).Print("one\n")
	first, second := "", make(chan string, 1)
	_, err := e.Handle(j.ID).Poll(t.Context(), engine.PollOptions{Client: "a", Deliver: func(p *engine.Poll) error {
		first = string(p.Output)
		f.Job(j.ID).Print("two\n")
		go func() {
			text := ""
			_, err := other.Handle(j.ID).Poll(t.Context(), engine.PollOptions{Client: "a", Wait: patience, Deliver: func(p *engine.Poll) error {
				text += string(p.Output)
				return nil
			}})
			if err != nil {
				t.Error(err)
			}
			second <- text
		}()
		return nil
	}})
	if got := <-second; err != nil || first != "one\n" || got != "two\n" {
		t.Errorf("%q, then %q, %v", first, got, err)
	}
}
