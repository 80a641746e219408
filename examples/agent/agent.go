package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
)

// agent carries out the turns of the model and sends an event for each result. A turn runs in a
// goroutine of its own.
type agent struct {
	eng    *engine.Engine
	events chan any
	ctx    context.Context // ends with close
	cancel context.CancelFunc
	wg     sync.WaitGroup
	turns  [][]step
	next   int
}

// Events of the agent.
type (
	messageEvent  struct{ text string }
	startedEvent  struct{ job engine.Job }
	returnedEvent struct { // a tool call has returned
		id     engine.ID
		result engine.Result
		err    error
	}
	endedEvent struct { // a background job has ended
		id   engine.ID
		exit engine.Exit
	}
	turnOverEvent struct{}
)

func newAgent(eng *engine.Engine) *agent {
	a := &agent{eng: eng, events: make(chan any, 16), turns: turns()}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	a.wg.Go(a.watchQuestions)
	return a
}

// close cancels the turn, which stops its foreground job. Background jobs keep running.
func (a *agent) close() {
	a.cancel()
	a.wg.Wait()
}

func (a *agent) emit(event any) {
	select {
	case a.events <- event:
	case <-a.ctx.Done():
	}
}

// answer starts the model's next turn.
func (a *agent) answer() {
	turn := a.turns[a.next%len(a.turns)]
	a.next++
	a.wg.Go(func() {
		defer a.emit(turnOverEvent{})
		for _, s := range turn {
			if !a.think(700 * time.Millisecond) {
				return
			}
			a.perform(s)
		}
	})
}

func (a *agent) think(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-a.ctx.Done():
		return false
	}
}

func (a *agent) perform(s step) {
	switch {
	case s.bash != nil:
		a.bash(*s.bash)
	case s.index:
		a.index()
	case s.stop != "":
		a.stop(s.stop)
	default:
		a.emit(messageEvent{s.say})
	}
}

// bash is a tool. It runs a command in the foreground until it ends or moves to the background,
// because the user sent it there or its yield time is over.
func (a *agent) bash(c bashCall) {
	var id engine.ID
	result, err := a.eng.Run(a.ctx, engine.Spec{Script: c.script, Name: c.name, PTY: true}, engine.RunOptions{
		YieldAfter: c.yield,
		OnStart: func(started engine.ID) {
			id = started
			if job, err := a.eng.Get(a.ctx, string(id)); err == nil {
				a.emit(startedEvent{job})
			}
		},
	})
	if err == nil && result.Backgrounded {
		a.reportEnd(id)
	}
	a.emit(returnedEvent{id, result, err})
}

// reportEnd sends an event when a background job ends.
func (a *agent) reportEnd(id engine.ID) {
	a.eng.OnExit(id, func(exit engine.Exit) { a.emit(endedEvent{id, exit}) })
}

// index is a tool without a process: the agent does the work itself. As a virtual job it can be
// watched and killed like any other.
func (a *agent) index() {
	ctx, cancel := context.WithCancel(a.ctx)
	x, err := a.eng.Create(engine.VirtualSpec{
		Name:  "index the code",
		Hooks: engine.Hooks{Kill: func(context.Context) error { cancel(); return nil }},
	})
	if err != nil {
		cancel()
		a.emit(messageEvent{"Cannot index the code: " + err.Error()})
		return
	}
	if err := a.eng.Background(x.ID()); err != nil {
		a.emit(messageEvent{err.Error()})
	}
	a.emit(startedEvent{x.Job()})
	a.emit(returnedEvent{id: x.ID(), result: engine.Result{Job: x.Job(), Backgrounded: true}})
	a.reportEnd(x.ID())
	a.wg.Go(func() {
		defer cancel()
		const files = 60
		for i := 1; i <= files; i++ {
			select {
			case <-time.After(250 * time.Millisecond):
			case <-ctx.Done():
				_ = x.Abort() // fails if the job was killed
				return
			}
			x.Append(fmt.Appendf(nil, "indexed src/module-%02d.ts (%d of %d)\n", i, i, files))
		}
		_ = x.Complete(engine.Exit{})
	})
}

// stop is a tool that stops the agent's running jobs with the given name.
func (a *agent) stop(name string) {
	jobs, err := a.eng.List(a.ctx, engine.Filter{Running: true})
	if err != nil {
		a.emit(messageEvent{err.Error()})
		return
	}
	for _, j := range jobs {
		if j.Name != name || j.CreatedBy != clientName {
			continue
		}
		if _, err := a.eng.Stop(a.ctx, j.ID, engine.StopOptions{By: clientName}); err != nil {
			a.emit(messageEvent{err.Error()})
		}
	}
}
