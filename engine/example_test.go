package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
)

// newEngine returns an engine on a state directory of its own.
func newEngine(backends ...engine.Backend) (eng *engine.Engine, done func()) {
	dir, err := os.MkdirTemp("", "hob-example")
	if err != nil {
		panic(err)
	}
	opts := []engine.Option{engine.WithStateDir(dir), engine.WithClient("example")}
	for _, b := range backends {
		opts = append(opts, engine.WithBackend(b))
	}
	if eng, err = engine.New(opts...); err != nil {
		panic(err)
	}
	return eng, func() {
		eng.Close()
		os.RemoveAll(dir)
	}
}

// Any piece of work can be a job, not only a command: create, stream, background, complete. It is
// listed, its output is a log, and it can be killed.
func ExampleEngine_NewExecution() {
	ctx := context.Background()
	eng, done := newEngine()
	defer done()

	x, err := eng.NewExecution(engine.ExecutionSpec{Name: "index the code"})
	if err != nil {
		panic(err)
	}
	x.Append([]byte("reading main.go\n"))
	job, err := x.Facts(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(job.Kind, job.Status, job.Name)

	// Sending it to the background notifies everything that waits for it.
	if err := x.Background(); err != nil {
		panic(err)
	}
	<-x.Backgrounded()
	job, err = x.Facts(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println("backgrounded:", job.Backgrounded)

	x.Append([]byte("4 files indexed\n"))
	if err := x.Complete(engine.Exit{}); err != nil { // code 0
		panic(err)
	}

	exit, err := x.Wait(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(exit.Status, *exit.Code)
	p, err := x.Poll(ctx, engine.PollOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s", p.Output)

	// Output:
	// virtual running index the code
	// backgrounded: true
	// exited 0
	// reading main.go
	// 4 files indexed
}

// A process that the program started itself can become a job too. The engine uses only the hooks
// and never signals the process itself.
func ExampleEngine_NewExecution_process() {
	ctx := context.Background()
	eng, done := newEngine()
	defer done()

	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	x, err := eng.NewExecution(engine.ExecutionSpec{
		PID: cmd.Process.Pid, Name: "my sleep", Command: cmd.Args,
		Hooks: engine.ExecutionHooks{Kill: func(context.Context) error { return cmd.Process.Kill() }},
	})
	if err != nil {
		panic(err)
	}
	go func() { // the owner waits for its process and reports the end
		_ = cmd.Wait()
		_ = x.Complete(engine.Exit{Signal: "SIGKILL"})
	}()
	job, err := x.Facts(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println("same process:", job.Leader.PID == cmd.Process.Pid)

	if err := x.Background(); err != nil {
		panic(err)
	}

	if _, err := x.Stop(ctx, engine.StopOptions{Grace: engine.KillNow}); err != nil { // calls the hook, as hob kill does
		panic(err)
	}
	exit, err := x.Wait(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(exit.Status, "by", exit.EndedBy)

	// Output:
	// same process: true
	// killed by example
}

// Run runs a command in the foreground until it ends or is sent to the background: by a key of the
// program, which gets the id from OnStart, or after YieldAfter.
func ExampleEngine_Run() {
	ctx := context.Background()
	eng, done := newEngine(local.New(local.InProcess())) // jobs end with this program
	defer done()

	result, err := eng.Run(ctx, engine.Spec{Script: "echo quick"}, engine.RunOptions{YieldAfter: time.Minute})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s %d %q\n", result.Status, *result.Exit.Code, result.Output)

	result, err = eng.Run(ctx, engine.Spec{Script: "sleep 600"}, engine.RunOptions{
		OnStart: func(id engine.ID) { go eng.Handle(id).Background() }, // the user presses Ctrl+B
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Status, "backgrounded:", result.Backgrounded)

	if _, err := eng.Handle(result.ID).Stop(ctx, engine.StopOptions{Grace: engine.KillNow}); err != nil {
		panic(err)
	}
	_, err = eng.Handle("no-such-job").Stop(ctx, engine.StopOptions{Grace: engine.KillNow})
	fmt.Println(errors.Is(err, engine.ErrNotFound))

	// Output:
	// exited 0 "quick\n"
	// running backgrounded: true
	// true
}

// The first batch has the state of all jobs, later ones have the changes, without gaps or repeats.
func ExampleEngine_Subscribe() {
	ctx := context.Background()
	eng, done := newEngine()
	defer done()

	sub := eng.Subscribe(engine.Filter{})
	defer sub.Close()
	snapshot, err := sub.Next(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(len(snapshot), "jobs")

	x, err := eng.NewExecution(engine.ExecutionSpec{Name: "work"})
	if err != nil {
		panic(err)
	}
	if err := x.Complete(engine.Exit{Status: engine.Failed, Error: "out of paper"}); err != nil {
		panic(err)
	}
	for ended := false; !ended; {
		events, err := sub.Next(ctx)
		if err != nil {
			panic(err)
		}
		for _, e := range events {
			if e.Kind == engine.EventExited {
				ended = true
				fmt.Println(e.Job.Name, e.Job.Status, "-", e.Job.Exit.Error)
			}
		}
	}

	// Output:
	// 0 jobs
	// work failed - out of paper
}
