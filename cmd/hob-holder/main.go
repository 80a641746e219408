// Command hob-holder holds one job of hob. It links the holder's code alone, so that it
// needs less memory than hob itself. hob starts it if it lies beside it; users do not.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/hobjobs/hob/engine/local"
)

func main() {
	// hob passes the id of the job.
	if len(os.Args) < 2 || strings.HasPrefix(os.Args[1], "-") {
		fmt.Fprintln(os.Stderr, "hob-holder holds one job of hob, which starts it: see hob help")
		os.Exit(2)
	}
	os.Exit(local.RunHolder())
}
