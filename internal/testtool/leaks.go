package testtool

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// leakPatience is how long goroutines of tests may take to end once the tests have,
// on a slow machine.
const leakPatience = 30 * time.Second

// RunWithoutLeaks runs the tests of a package, with [Prepare], and fails when
// goroutines stay behind: whoever starts one ends it, and waits for it. It returns the
// code to exit with.
func RunWithoutLeaks(m *testing.M) int {
	Prepare()
	code := m.Run()
	if code != 0 {
		return code // tests that fail leave things behind
	}
	end := time.Now().Add(leakPatience)
	err := goleak.Find()
	for err != nil && time.Now().Before(end) {
		err = goleak.Find()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
