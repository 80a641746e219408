// Command hob supervises background jobs from the terminal.
package main

import (
	"os"

	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/app/cli"
)

func main() {
	// First, because a holder needs none of the code of the command line.
	if local.IsHolder() {
		os.Exit(local.RunHolder())
	}
	os.Exit(cli.Main(os.Args))
}
