package ssh

import (
	"flag"
	"os"
	"testing"

	"github.com/hobjobs/hob/internal/testtool"
)

// TestMain runs more tests in parallel than there are processors, unless -parallel is set: parallel
// tests mostly wait for a host.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	flag.Parse()
	os.Exit(testtool.RunWithoutLeaks(m))
}
