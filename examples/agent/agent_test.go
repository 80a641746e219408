package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
)

// tested is an agent whose events are received by a test.
type tested struct {
	*agent
	events chan any
}

// begin returns an agent with one turn. Its jobs end with the test.
func begin(t *testing.T, turn ...step) tested {
	t.Helper()
	eng, err := engine.New(engine.WithStateDir(t.TempDir()), engine.WithClient(clientName), engine.WithBackend(local.New(local.InProcess())))
	if err != nil {
		t.Fatal(err)
	}
	a := tested{newAgent(eng), make(chan any, 16)}
	a.turns = [][]step{turn}
	a.start(func(event any) {
		select {
		case a.events <- event:
		case <-a.ctx.Done():
		}
	})
	t.Cleanup(func() {
		ctx := context.Background() // the test's context is canceled by now
		a.close()
		jobs, err := eng.List(ctx, engine.Filter{Running: true})
		for _, j := range jobs {
			if _, killErr := eng.Kill(ctx, j.ID); err == nil {
				err = killErr
			}
		}
		if closeErr := eng.Close(); err != nil || closeErr != nil {
			t.Error(err, closeErr)
		}
	})
	return a
}

// next returns the agent's next event, which must be an E.
func next[E any](t *testing.T, a tested) E {
	t.Helper()
	select {
	case event := <-a.events:
		e, ok := event.(E)
		if !ok {
			t.Fatalf("got event %+v", event)
		}
		return e
	case <-time.After(30 * time.Second):
		t.Fatal("got no event")
	}
	panic("not reached")
}

func TestBackgroundContinuesTheTurn(t *testing.T) {
	a := begin(t, step{name: "npm run dev", script: "echo ready; exec sleep 600"}, step{say: "on with it"})
	a.answer()
	job := next[startedEvent](t, a).job
	if err := a.eng.Background(job.ID); err != nil {
		t.Fatal(err)
	}
	if r := next[returnedEvent](t, a); r.err != nil || !r.result.Backgrounded || r.id != job.ID {
		t.Errorf("the call returned %+v", r)
	}
	if text := next[messageEvent](t, a).text; text != "on with it" {
		t.Errorf("message %q", text)
	}
	next[turnOverEvent](t, a)
	if _, err := a.eng.Kill(t.Context(), job.ID); err != nil {
		t.Fatal(err)
	}
	if e := next[endedEvent](t, a); e.id != job.ID || e.exit.Status != engine.Killed {
		t.Errorf("end event %+v", e)
	}
}

func TestIndexJobCanBeStopped(t *testing.T) {
	a := begin(t, step{index: true})
	a.answer()
	job := next[startedEvent](t, a).job
	if job.Kind != engine.KindVirtual {
		t.Errorf("kind %s", job.Kind)
	}
	next[returnedEvent](t, a)
	next[turnOverEvent](t, a)
	if _, err := a.eng.Stop(t.Context(), job.ID, engine.StopOptions{}); err != nil {
		t.Fatal(err)
	}
	if e := next[endedEvent](t, a); e.exit.Status != engine.Killed {
		t.Errorf("end event %+v", e)
	}
}

func TestTranscript(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	job := engine.Job{
		Request: engine.Request{ID: "npm-run-dev-7k2qm", Name: "npm run dev"},
		State: engine.State{
			Status: engine.Running, StartedAt: now.Add(-3*time.Minute - 12*time.Second),
		},
	}
	talk := newTranscript()
	talk.you("get the shop running")
	talk.add(row{call: &call{job: job, background: true}})
	want := `
> get the shop running
⚡ background · npm run dev · 3m12s
`
	if got := trimmed(talk.view(80, 4, now)); got != want {
		t.Errorf("the transcript is\n%s\nwant\n%s", got, want)
	}
}

// trimmed is text without styles and without blanks at the end of lines.
func trimmed(text string) string {
	lines := strings.Split(ansi.Strip(text), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}
