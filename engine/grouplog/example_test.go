package grouplog_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/grouplog"
)

// The output of everything that belongs to a project, each line with the name of its process. With
// Options.Follow, Next waits for the lines that they write later.
func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "hob-example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	eng, err := engine.New(engine.WithStateDir(dir), engine.WithClient("example"))
	if err != nil {
		panic(err)
	}
	defer eng.Close()
	x, err := eng.NewExecution(engine.ExecutionSpec{Name: "web", Labels: map[string]string{"group": "shop"}})
	if err != nil {
		panic(err)
	}
	x.Append([]byte("ready on port 5173\n"))
	if err := x.Complete(engine.Exit{}); err != nil {
		panic(err)
	}

	stream, err := grouplog.Open(ctx, eng, grouplog.Options{
		Filter: engine.Filter{Labels: map[string]string{"group": "shop"}},
		Last:   100,
	})
	if err != nil {
		panic(err)
	}
	defer stream.Close()
	for {
		entries, err := stream.Next(ctx)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			panic(err)
		}
		for _, e := range entries {
			switch {
			case e.Err != nil:
				fmt.Println(e.Job.Name, e.Err)
			case e.Ended:
				fmt.Println(e.Job.Name, e.Job.Ending())
			default:
				fmt.Println(e.Job.Name, e.Line.Text)
			}
		}
	}

	// Output:
	// web ready on port 5173
	// web exited 0
}
