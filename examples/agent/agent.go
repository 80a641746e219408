package main

import (
	"context"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
)

// agent carries out a turn of the model in a goroutine of its own, and reports each result as an event.
type agent struct {
	eng    *engine.Engine
	emit   func(event any)
	ctx    context.Context // ends with close
	cancel context.CancelFunc
	wg     sync.WaitGroup
	turn   []step
}

type ( // events
	messageEvent  struct{ text string }
	startedEvent  struct{ job engine.Job }
	turnOverEvent struct{}
	returnedEvent struct { // a tool call has returned
		result engine.Result
		err    error
	}
)

func (e returnedEvent) outcome() string {
	switch {
	case e.err != nil:
		return e.err.Error()
	case e.result.Backgrounded:
		return "running in the background as " + string(e.result.ID)
	}
	return e.result.Ending()
}

func newAgent(eng *engine.Engine) *agent {
	a := &agent{eng: eng, turn: script()}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	return a
}

// close cancels the turn, which stops its foreground job. Background jobs keep running.
func (a *agent) close() {
	a.cancel()
	a.wg.Wait()
}

// answer starts a turn of the model.
func (a *agent) answer() {
	a.wg.Go(func() {
		defer a.emit(turnOverEvent{})
		for _, s := range a.turn {
			if s.say != "" {
				a.emit(messageEvent{s.say})
			} else {
				a.bash(s)
			}
		}
	})
}

// bash is a tool. It runs a command in the foreground until it ends or moves to the background,
// because the user sent it there or its yield time is over.
func (a *agent) bash(s step) {
	spec := engine.Spec{
		Script: s.script,
		Name:   s.name,
		PTY:    true,
	}
	result, err := a.eng.Run(a.ctx, spec, engine.RunOptions{
		YieldAfter: s.yield,
		OnStart: func(id engine.ID) {
			if job, err := a.eng.Handle(id).Facts(a.ctx); err == nil {
				a.emit(startedEvent{job})
			}
			a.wg.Go(func() { a.watchQuestions(id) })
		},
	})
	a.emit(returnedEvent{result, err})
}

// step is one action of the model. The script stands in for a model: a real one would be called over
// the network, and the rest of the program would stay the same.
type step struct {
	say          string
	name, script string        // arguments of the tool bash
	yield        time.Duration // time after which the command moves to the background; 0: never
}

const devServer = `echo "  Local: http://localhost:5173/"
i=0; while :; do i=$((i+1)); sleep 4; echo "$(date +%T) [vite] hmr update /src/page-$i.tsx"; done`

const deploy = `printf 'Deploy to production? [y/N] '; read -r answer; [ "$answer" = y ] || exit 1
stty -echo; printf 'Passphrase of the key: '; read -r secret; stty echo; echo; echo deployed`

func script() []step {
	return []step{
		{say: "I'll start the development server: press Ctrl+B to send it to the background, or wait 20 seconds."},
		{name: "npm run dev", script: devServer, yield: 20 * time.Second},
		{say: "I'll deploy that. The command asks you, not me."},
		{name: "deploy", script: deploy},
	}
}
