// Command agent is a small coding agent with hob's pane below its transcript. Its model is a script,
// so it needs no network and no API key. Everything else is real: its tool calls are jobs of the
// engine, and hob list shows them.
//
//	go run ./examples/agent
//
// The pane shows the jobs of the agent; with -all it shows all jobs of the user.
//
// Type anything and press Enter: the model begins to work. While a tool call is in the foreground,
// Ctrl+B sends it to the background and the model continues. Tab focuses the jobs, q returns to the
// prompt. Ctrl+T hides or shows the jobs, Ctrl+Up and Ctrl+Down resize them. PgUp and PgDn
// scroll the transcript. Ctrl+C quits; background jobs keep running.
//
// When a job asks a question, a dialog shows it and types the answer into the job. A password is typed
// only in the job's own terminal, so it never passes through the agent.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/ui"
)

// clientName marks the agent's jobs.
const clientName = "agent-example"

func main() {
	if local.IsHolder() { // this program also holds the jobs it starts
		os.Exit(local.RunHolder())
	}
	all := flag.Bool("all", false, "show all jobs, not only those of the agent")
	flag.Parse()
	own := engine.Filter{CreatedBy: clientName}
	if *all {
		own = engine.Filter{}
	}
	if err := run(own); err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}

// run runs the agent with a pane of the jobs that shown selects.
func run(shown engine.Filter) error {
	eng, err := engine.New(engine.WithClient(clientName), engine.WithBackend(local.New()))
	if err != nil {
		return err
	}
	a := newAgent(eng)
	pane := ui.NewPane(eng, ui.WithFilter(shown))
	program := tea.NewProgram(newHost(eng, a, pane))
	a.start(func(event any) { program.Send(event) })
	_, err = program.Run()
	a.close()
	running := pane.Running()
	err = errors.Join(err, pane.Close(), eng.Close())
	if running > 0 && err == nil {
		fmt.Printf("jobs still running: %d; see: hob list\n", running)
	}
	return err
}
