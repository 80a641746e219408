// Command hob-holder holds one job of hob. It contains only the code of the holder, so it
// needs less memory than hob itself. hob starts it if both are in the same directory, and on a host where it
// was installed for that; it is not meant to be started by hand.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/hobjobs/hob/internal/hostjob"
	"github.com/hobjobs/hob/internal/localjob"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println(localjob.Identity())
		return
	}
	if code, ok := hostjob.Main(os.Args); ok {
		os.Exit(code)
	}
	// hob passes the id of the job.
	if len(os.Args) < 2 || strings.HasPrefix(os.Args[1], "-") {
		fmt.Fprintln(os.Stderr, "hob-holder is started by hob; run hob instead")
		os.Exit(2)
	}
	os.Exit(localjob.Hold())
}
