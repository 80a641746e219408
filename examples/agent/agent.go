package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hobjobs/hob/engine"
)

// agent carries out the turns of the model and reports each result as an event. A turn runs in a
// goroutine of its own.
type agent struct {
	eng    *engine.Engine
	emit   func(event any)
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
	a := &agent{eng: eng, turns: turns()}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	return a
}

// start makes the agent report its events.
func (a *agent) start(emit func(event any)) {
	a.emit = emit
	a.wg.Go(a.watchQuestions)
}

// close cancels the turn, which stops its foreground job. Background jobs keep running.
func (a *agent) close() {
	a.cancel()
	a.wg.Wait()
}

// answer starts the model's next turn.
func (a *agent) answer() {
	turn := a.turns[a.next%len(a.turns)]
	a.next++
	a.wg.Go(func() {
		defer a.emit(turnOverEvent{})
		for _, s := range turn {
			if !a.pause(700 * time.Millisecond) { // the model thinks
				return
			}
			a.perform(s)
		}
	})
}

// pause waits, and reports whether the agent is to continue.
func (a *agent) pause(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-a.ctx.Done():
		return false
	}
}

func (a *agent) perform(s step) {
	var err error
	switch {
	case s.script != "":
		a.bash(s)
	case s.index:
		err = a.index()
	case s.stop != "":
		err = a.stop(s.stop)
	default:
		a.emit(messageEvent{s.say})
	}
	if err != nil {
		a.emit(messageEvent{err.Error()})
	}
}

// bash is a tool. It runs a command in the foreground until it ends or moves to the background,
// because the user sent it there or its yield time is over.
func (a *agent) bash(s step) {
	var id engine.ID
	result, err := a.eng.Run(a.ctx, engine.Spec{Script: s.script, Name: s.name, PTY: true}, engine.RunOptions{
		YieldAfter: s.yield,
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
func (a *agent) index() error {
	ctx, cancel := context.WithCancel(a.ctx)
	x, err := a.eng.Create(engine.VirtualSpec{
		Name:  "index the code",
		Hooks: engine.Hooks{Kill: func(context.Context) error { cancel(); return nil }},
	})
	if err != nil {
		cancel()
		return err
	}
	err = a.eng.Background(x.ID())
	a.emit(startedEvent{x.Job()})
	a.emit(returnedEvent{id: x.ID(), result: engine.Result{Job: x.Job(), Backgrounded: true}, err: err})
	a.reportEnd(x.ID())
	a.wg.Go(func() {
		defer cancel()
		a.read(ctx, x)
	})
	return nil
}

// read does the work of index.
func (a *agent) read(ctx context.Context, x *engine.Execution) {
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
}

// stop is a tool that stops the agent's running jobs with the given name.
func (a *agent) stop(name string) error {
	jobs, err := a.eng.List(a.ctx, engine.Filter{Running: true, CreatedBy: clientName})
	for _, j := range jobs {
		if j.Name == name && err == nil {
			_, err = a.eng.Stop(a.ctx, j.ID, engine.StopOptions{By: clientName})
		}
	}
	return err
}

// step is one action of the model in a turn. The turns stand in for a model: a real one would be
// called over the network, and the rest of the program would stay the same.
type step struct {
	say          string
	name, script string        // arguments of the tool bash
	yield        time.Duration // time after which the command moves to the background; 0: never
	index        bool          // index the repository, a tool of the agent itself
	stop         string        // stop the jobs with this name
}

const devServer = `echo "> shop@1.4.0 dev"; echo "> vite --port 5173"; sleep 1
printf '\n  \033[32mVITE\033[m v8.3.4  ready in 312 ms\n\n  ➜  Local:  http://localhost:5173/\n'
i=0; while :; do i=$((i+1)); sleep 4; echo "$(date +%T) [vite] hmr update /src/page-$i.tsx"; done`

const tests = `for t in cart checkout search; do sleep 1; printf '\033[32m✓\033[m %s.test.ts\n' $t; done
sleep 1; printf '\033[31m✗\033[m price.test.ts\n  expected 12.50, got 12.499999\n'; exit 1`

const deploy = `printf 'Deploy shop 1.4.1 to production? [y/N] '; read -r answer
[ "$answer" = y ] || { echo 'not deployed'; exit 1; }
stty -echo; printf 'Passphrase of the key: '; read -r secret; stty echo
echo; sleep 1; echo deployed`

func turns() [][]step {
	return [][]step{
		{
			{say: "Let me see what is here."},
			{name: "git log", script: `git log --oneline -5 2>/dev/null || ls`},
			{say: "I'll start the development server. It keeps running: press Ctrl+B to send it to the background, or wait 20 seconds."},
			{name: "npm run dev", script: devServer, yield: 20 * time.Second},
			{say: "While that runs I'll index the code and run the tests."},
			{index: true},
			{name: "npm test", script: tests, yield: time.Minute},
			{say: "One test fails: price.test.ts compares floating point numbers exactly. Shall I fix it?"},
		},
		{
			{say: "Fixed: prices are counted in cents now. I'll deploy that. The command asks you, not me."},
			{name: "deploy", script: deploy},
			{say: "I'll stop the development server."},
			{stop: "npm run dev"},
			{say: "Done."},
		},
	}
}
