package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
)

// agent carries out the turns of the model. What happens goes to events, which
// the program reads; one goroutine performs a turn, others wait for ends.
type agent struct {
	eng    *engine.Engine
	events chan any
	ctx    context.Context // ends with close
	cancel context.CancelFunc
	wg     sync.WaitGroup
	turns  [][]step
	next   int
}

// What happens.
type (
	saidEvent     struct{ text string }
	startedEvent  struct{ job engine.Job }
	returnedEvent struct { // a tool call has its answer
		id     engine.ID
		result engine.Result
		err    error
	}
	endedEvent struct { // a job in the background has ended
		id   engine.ID
		exit engine.Exit
	}
	turnOverEvent struct{}
)

func newAgent(eng *engine.Engine) *agent {
	a := &agent{eng: eng, events: make(chan any, 16), turns: turns()}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	return a
}

// close ends the turn: what is in the foreground is stopped, as after any
// cancelled call; what is in the background goes on.
func (a *agent) close() {
	a.cancel()
	a.wg.Wait()
}

func (a *agent) tell(event any) {
	select {
	case a.events <- event:
	case <-a.ctx.Done():
	}
}

// answer begins the model's next turn.
func (a *agent) answer() {
	turn := a.turns[a.next%len(a.turns)]
	a.next++
	a.wg.Go(func() {
		defer a.tell(turnOverEvent{})
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
		a.tell(saidEvent{s.say})
	}
}

// bash is the tool: the command runs in the foreground, until it ends or is sent
// to the background, by the person or because its time is over.
func (a *agent) bash(c bashCall) {
	var id engine.ID
	result, err := a.eng.Run(a.ctx, engine.Spec{Script: c.script, Name: c.name, PTY: true}, engine.RunOptions{
		YieldAfter: c.yield,
		OnStart: func(started engine.ID) {
			id = started
			if job, err := a.eng.Get(a.ctx, string(id)); err == nil {
				a.tell(startedEvent{job})
			}
		},
	})
	if err == nil && result.Backgrounded {
		a.tellEnd(id)
	}
	a.tell(returnedEvent{id, result, err})
}

// tellEnd notes the end of a job that nobody waits for.
func (a *agent) tellEnd(id engine.ID) {
	a.eng.OnExit(id, func(exit engine.Exit) { a.tell(endedEvent{id, exit}) })
}

// index is a tool that is no process: the agent itself does the work, and the
// engine makes a job of it like any other, to be watched and killed.
func (a *agent) index() {
	ctx, cancel := context.WithCancel(a.ctx)
	x, err := a.eng.Create(engine.VirtualSpec{
		Name:  "index the code",
		Hooks: engine.Hooks{Kill: func(context.Context) error { cancel(); return nil }},
	})
	if err != nil {
		cancel()
		a.tell(saidEvent{"The index cannot be made: " + err.Error()})
		return
	}
	if err := a.eng.Background(x.ID()); err != nil {
		a.tell(saidEvent{err.Error()})
	}
	a.tell(startedEvent{x.Job()})
	a.tell(returnedEvent{id: x.ID(), result: engine.Result{Job: x.Job(), Backgrounded: true}})
	a.tellEnd(x.ID())
	a.wg.Go(func() {
		defer cancel()
		const files = 60
		for i := 1; i <= files; i++ {
			select {
			case <-time.After(250 * time.Millisecond):
			case <-ctx.Done():
				_ = x.Abort() // there is nobody to tell
				return
			}
			x.Append(fmt.Appendf(nil, "indexed src/module-%02d.ts (%d of %d)\n", i, i, files))
		}
		_ = x.Complete(engine.Exit{})
	})
}

// stop is the tool that ends jobs.
func (a *agent) stop(name string) {
	jobs, err := a.eng.List(a.ctx, engine.Filter{Running: true})
	if err != nil {
		a.tell(saidEvent{err.Error()})
		return
	}
	for _, j := range jobs {
		if j.Name != name || j.CreatedBy != clientName {
			continue
		}
		if _, err := a.eng.Stop(a.ctx, j.ID, engine.StopOptions{By: clientName}); err != nil {
			a.tell(saidEvent{err.Error()})
		}
	}
}
