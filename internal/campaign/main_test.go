//go:build unix

package campaign

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/app/cli"
	"github.com/hobjobs/hob/internal/testtool"
)

// TestMain makes the test binary act as hob, as its holders and as the jobs, according to the name
// that it is called by.
func TestMain(m *testing.M) {
	if local.IsHolder() {
		os.Exit(local.RunHolder())
	}
	switch filepath.Base(os.Args[0]) {
	case "hob":
		os.Exit(cli.Main(os.Args))
	case "worker":
		os.Exit(work(os.Args[1]))
	case "daemon":
		os.Exit(linger(os.Args[1]))
	}
	testtool.Prepare()
	os.Exit(m.Run())
}
