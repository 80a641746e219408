// Package testtool says what a test needs from the machine.
package testtool

import (
	_ "embed"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// installed has a line for each tool that CI installs if it is missing: the tool
// and the package of Debian that has it.
//
//go:embed tools
var installed string

// Need skips the test if a tool is missing, naming it. Where CI is set it fails
// instead: there everything is to be installed, and a test that silently stopped
// running proves nothing. So a tool that CI does not install may not be asked for.
func Need(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, ok := packageOf(tool); !ok {
			t.Fatalf("CI does not install %s: add it to internal/testtool/tools", tool)
		}
		if _, err := exec.LookPath(tool); err != nil {
			Missing(t, "needs "+tool)
		}
	}
}

// NeedRoot skips the test where it does not run as root, and fails it in CI.
func NeedRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		Missing(t, "needs root")
	}
}

// packageOf returns the package of Debian that has a tool.
func packageOf(tool string) (name string, ok bool) {
	for line := range strings.Lines(installed) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == tool {
			return f[1], true
		}
	}
	return "", false
}

// Missing skips the test for the reason why, and fails it in CI.
func Missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s: not there, but CI has to have it", why)
	}
	t.Skip(why)
}
