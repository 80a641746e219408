package main

import (
	"context"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
)

// tested is an agent whose events are received by a test.
type tested struct {
	*agent
	events chan any
}

// begin returns an agent with a script. Its jobs end with the test.
func begin(t *testing.T, script ...step) tested {
	t.Helper()
	eng, err := engine.New(engine.WithStateDir(t.TempDir()), engine.WithClient(clientName), engine.WithBackend(local.New(local.InProcess())))
	if err != nil {
		t.Fatal(err)
	}
	a := tested{newAgent(eng), make(chan any, 16)}
	a.turn = script
	a.emit = func(event any) {
		select {
		case a.events <- event:
		case <-a.ctx.Done():
		}
	}
	t.Cleanup(func() {
		ctx := context.Background() // the test's context is canceled by now
		a.close()
		jobs, err := eng.List(ctx, engine.Filter{Running: true})
		for _, j := range jobs {
			if _, killErr := eng.Handle(j.ID).Stop(ctx, engine.StopOptions{Grace: engine.KillNow}); err == nil {
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
	if err := a.eng.Handle(job.ID).Background(); err != nil {
		t.Fatal(err)
	}
	if r := next[returnedEvent](t, a); r.err != nil || !r.result.Backgrounded || r.result.ID != job.ID {
		t.Errorf("the call returned %+v", r)
	}
	if text := next[messageEvent](t, a).text; text != "on with it" {
		t.Errorf("message %q", text)
	}
	next[turnOverEvent](t, a)
}
