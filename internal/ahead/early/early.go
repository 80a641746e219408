// Package early starts the holder of `hob run` while the program's packages are
// being initialised: the first package that only needs little of them is this one,
// and the holder's start is as long as theirs. Of a plain `hob run -b` the holder
// does all, and the program ends here. Only main imports it.
package early

import (
	"os"

	"github.com/hobjobs/hob/internal/ahead"
)

// What runs here runs in every start of hob: it looks at the command line and is
// done, unless that asks for a job.
var _ = begin()

func begin() bool {
	ahead.Deepen()
	if ahead.Begin(os.Args) {
		os.Exit(0)
	}
	return true
}
