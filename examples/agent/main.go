// Command agent is a small coding agent with hob's pane below its transcript. The
// model behind it is a script, so it needs no network and no key; everything
// else is real: its tool calls are jobs of the engine, and hob list shows them.
//
//	go run ./examples/agent
//
// Type anything and press Enter: the model begins to work. While a tool call is
// in the foreground Ctrl+B sends it to the background, and the model goes on at
// once. Tab goes to the jobs, q comes back; Ctrl+T hides and shows them, Ctrl+Up
// and Ctrl+Down resize them; with the prompt empty the arrows choose a row of the
// transcript and Enter unfolds it, PgUp and PgDn scroll. Ctrl+C leaves; jobs in
// the background go on.
package main

import (
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/ui"
)

// clientName is on the jobs of the agent.
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

func run() error {
	eng, err := engine.New(engine.WithClient(clientName), engine.WithBackend(local.New()))
	if err != nil {
		return err
	}
	a := newAgent(eng)
	pane := ui.NewPane(eng)
	_, err = tea.NewProgram(newHost(eng, a, pane)).Run()
	a.close()
	running := pane.Running()
	if closeErr := pane.Close(); err == nil {
		err = closeErr
	}
	if closeErr := eng.Close(); err == nil {
		err = closeErr
	}
	if running > 0 && err == nil {
		fmt.Printf("jobs that keep running: %d; hob list shows them\n", running)
	}
	return err
}
