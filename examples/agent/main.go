// Command agent is a small coding agent with hob's pane below its transcript. Its model is a script,
// so it needs no network and no API key. Everything else is real: its tool calls are jobs of the
// engine, and hob list shows them.
//
//	go run ./examples/agent
//
// Type anything and press Enter: the model begins to work. While a tool call is in the foreground,
// Ctrl+B sends it to the background and the model continues. When a job asks a question, a line shows
// it and types the answer into the job; a password is typed only in the job's own terminal, so it never
// passes through the agent. Ctrl+C quits; background jobs keep running.
package main

import (
	"errors"
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
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}

// run runs the agent with a pane of its jobs.
func run() error {
	eng, err := engine.New(engine.WithClient(clientName), engine.WithBackend(local.New()))
	if err != nil {
		return err
	}
	pane := ui.NewPane(eng, ui.WithFilter(engine.Filter{CreatedBy: clientName}))
	a := newAgent(eng)
	program := tea.NewProgram(newHost(a, pane))
	a.emit = func(event any) { program.Send(event) }
	_, err = program.Run()
	a.close()
	return errors.Join(err, pane.Close(), eng.Close())
}
