// Command headless uses the engine without a screen: it starts jobs in parallel, prints their events,
// waits for each of them and prints its last lines.
//
//	go run ./examples/headless 'go vet ./...' 'sleep 2; echo done'
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/joblog"
	"github.com/hobjobs/hob/engine/local"
)

func main() {
	if local.IsHolder() { // this program also holds the jobs it starts
		os.Exit(local.RunHolder())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "headless:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, scripts []string) (err error) {
	if len(scripts) == 0 {
		scripts = []string{"echo one; sleep 1; echo two", "sleep 2; echo oh no >&2; exit 3"}
	}
	eng, err := engine.New(engine.WithClient("headless"), engine.WithBackend(local.New()))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, eng.Close()) }()

	var ids []engine.ID
	for _, script := range scripts {
		job, err := eng.Start(ctx, engine.Spec{Script: script})
		if err != nil {
			return err
		}
		ids = append(ids, job.ID)
	}

	var watch sync.WaitGroup
	watch.Go(func() { report(ctx, out, eng, ids) })
	defer watch.Wait() // for the last events

	for _, id := range ids {
		exit, err := eng.Handle(id).Wait(ctx)
		if err != nil {
			return err // the jobs keep running; see hob list
		}
		if err := printEnd(ctx, out, eng, id, exit); err != nil {
			return err
		}
	}
	return nil
}

// report prints the events of the jobs until all have ended.
func report(ctx context.Context, out io.Writer, eng *engine.Engine, ids []engine.ID) {
	sub := eng.Subscribe(engine.Filter{IDs: ids})
	defer sub.Close()
	ended := map[engine.ID]bool{}
	for len(ended) < len(ids) {
		events, err := sub.Next(ctx) // the first batch has the current state
		if err != nil {
			return
		}
		for _, e := range events {
			if e.Job.Status.Finished() || e.Kind == engine.EventRemoved {
				ended[e.Job.ID] = true
			}
			fmt.Fprintf(out, "%s  %-12s %s\n", e.At.Format("15:04:05.000"), e.Kind, e.Job.ID)
		}
	}
}

// printEnd prints how a job ended and its last lines.
func printEnd(ctx context.Context, out io.Writer, eng *engine.Engine, id engine.ID, exit engine.Exit) error {
	how := string(exit.Status)
	if exit.Code != nil {
		how += fmt.Sprintf(", code %d", *exit.Code)
	}
	fmt.Fprintf(out, "%s: %s\n", id, how) // one write: report prints concurrently
	log, err := eng.Handle(id).Log(ctx, engine.StreamOutput)
	if err != nil {
		return err
	}
	defer log.Close()
	for line, err := range log.Lines(ctx, joblog.Query{Last: true, Limit: 10}) {
		if err != nil {
			return err
		}
		fmt.Fprintln(out, "    "+line.Text)
	}
	return nil
}
