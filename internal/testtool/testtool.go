// Package testtool says what a test needs from the machine.
package testtool

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
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

// FreeAddr is [FindAddr] for a test, which it fails.
func FreeAddr(t testing.TB) string {
	t.Helper()
	addr, err := FindAddr()
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

// FindAddr returns an address of this machine, host and port, that nobody listens
// on now, for a server that has to be told its port. The port lies outside the
// ranges from which systems give ports to connections (IANA's begins at 49152,
// Linux's at 32768): one of those may be taken between this answer and its use,
// or while a server is down for a moment.
func FindAddr() (string, error) {
	const lowest, beyond, tries = 10_000, 32_768, 100
	var last error
	for range tries {
		addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(lowest+rand.IntN(beyond-lowest)))
		ln, err := net.Listen("tcp", addr)
		if err == nil {
			return addr, ln.Close()
		}
		last = err
	}
	return "", fmt.Errorf("no free port in %d tries: %w", tries, last)
}

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
