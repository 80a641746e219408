// Package testtool says what a test needs from the machine.
package testtool

import (
	"os"
	"os/exec"
	"testing"
)

// Need skips the test if a tool is missing, naming it. Where CI is set it fails
// instead: there everything is to be installed, and a test that silently stopped
// running proves nothing.
func Need(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			missing(t, "needs "+tool)
		}
	}
}

// NeedRoot skips the test where it does not run as root, and fails it in CI.
func NeedRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		missing(t, "needs root")
	}
}

func missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s: not there, but CI has to have it", why)
	}
	t.Skip(why)
}
