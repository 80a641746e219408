// Command hob supervises background jobs from the terminal.
package main

import (
	"os"

	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/app/cli"
)

func main() {
	// First of all: a holder needs nothing of the rest.
	if local.IsHolder() {
		os.Exit(local.RunHolder())
	}
	os.Exit(cli.Main(os.Args))
}
