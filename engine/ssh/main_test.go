package ssh

import (
	"flag"
	"os"
	"testing"

	"github.com/hobjobs/hob/internal/testtool"
)

// TestMain lets more tests run at once than there are processors, unless -parallel says
// otherwise: those that do mostly wait for a host.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	flag.Parse()
	os.Exit(testtool.RunWithoutLeaks(m))
}
