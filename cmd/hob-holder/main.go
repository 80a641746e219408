// Command hob-holder holds one job of hob: the holder's code alone, so that it
// starts faster and needs less memory than hob itself in that part. hob starts it
// if it lies beside it; nobody types it.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/selfstart"
)

func main() {
	// Who starts a holder gives it a title: an id, or blanks to write one to.
	if len(os.Args) < 2 || strings.HasPrefix(os.Args[1], "-") {
		fmt.Fprintln(os.Stderr, "hob-holder holds one job of hob, which starts it: see hob help")
		os.Exit(2)
	}
	os.Exit(local.RunHolderWith(selfstart.Start))
}
