// Package testtool checks what a test needs from the machine.
package testtool

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// installed has a line for each tool that CI installs: the tool and the Debian package that
// contains it.
//
//go:embed tools
var installed string

// Need skips the test if a tool is missing, and names the tool. If CI is set it fails the test
// instead, so that no test is skipped there unnoticed. A tool that CI does not install is an error.
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

// NeedRoot skips the test if it does not run as root, and fails it in CI.
func NeedRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		Missing(t, "needs root")
	}
}

// NeedMounts skips the test if it does not run as root or nothing may be mounted, as in many
// containers, and fails it in CI.
func NeedMounts(t testing.TB) {
	t.Helper()
	NeedRoot(t)
	if err := rootMounts(); err != nil {
		Missing(t, "needs to mount: "+err.Error())
	}
}

// rootMounts returns why root may not mount, nil if it may.
var rootMounts = sync.OnceValue(func() error { return tryMount("--mount") })

// UserMounts returns why a user may not mount in namespaces of their own, nil if they may.
func UserMounts() error { return tryMount("--mount", "--user", "--map-root-user") }

// tryMount mounts something in new namespaces, which end with the try.
func tryMount(namespaces ...string) error {
	cmd := exec.Command("unshare", append(namespaces, "mount", "-t", "tmpfs", "none", os.TempDir())...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

// packageOf returns the Debian package that contains a tool.
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
		t.Fatalf("%s, which CI must provide", why)
	}
	t.Skip(why)
}

// FreeAddr is like [FindAddr] but fails the test on an error.
func FreeAddr(t testing.TB) string {
	t.Helper()
	addr, err := FindAddr()
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

// givenPorts are the ports that FindAddr has returned.
var givenPorts sync.Map

// FindAddr returns an address of this machine, host and port, without a listener, for a server
// whose port must be chosen in advance. The port is outside the ranges from which systems assign
// ports to connections (IANA's begins at 49152, Linux's at 32768): such a port may be taken before
// the server listens, or while it is briefly down.
func FindAddr() (string, error) {
	const lowest, beyond, tries = 10_000, 32_768, 100
	var last error
	for range tries {
		port := lowest + rand.IntN(beyond-lowest)
		if _, given := givenPorts.LoadOrStore(port, true); given {
			continue // to a server that may not listen yet
		}
		addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		ln, err := net.Listen("tcp", addr)
		if err == nil {
			return addr, ln.Close()
		}
		last = err
	}
	return "", fmt.Errorf("no free port in %d tries: %w", tries, last)
}

// leakTimeout is how long goroutines may keep running after the tests, on a slow machine.
const leakTimeout = 30 * time.Second

// RunWithoutLeaks calls [Prepare], runs the tests of a package, and fails if goroutines are still
// running afterwards: code that starts a goroutine must end it and wait for it. It returns the exit
// code.
func RunWithoutLeaks(m *testing.M) int {
	Prepare()
	code := m.Run()
	if code != 0 {
		return code // failed tests may leave goroutines behind
	}
	end := time.Now().Add(leakTimeout)
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

// Prepare makes the processes that tests start independent of how the tests were started. TestMain
// calls it before the tests, but not where the test binary stands in for another program.
//
// If the program was started with SIGHUP or SIGINT ignored, as by nohup and a shell's &, it
// re-executes itself: its child processes would inherit ignored signals, and a shell cannot trap
// signals that were ignored when it started. Go installs handlers for all other signals.
//
// Prepare also detaches from the terminal that the tests were started on.
//
// A program built with -race sleeps a second when it exits, and tests run many programs. Unless
// GORACE is set already, Prepare sets it to turn that off.
//
// Parallel tests spend most of their time waiting for the programs that they started, so Prepare lets
// more of them run than there are processors, unless -parallel is given.
func Prepare() {
	if _, set := os.LookupEnv("GORACE"); !set {
		os.Setenv("GORACE", "atexit_sleep_ms=0")
	}
	resetSignals()
	leaveTerminal()
	InParallel(8)
}

// InParallel lets that many parallel tests run at a time, unless there are as many processors or -parallel is
// given. A package whose tests wait even more than others calls it before [Prepare].
func InParallel(waiting int) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if given || runtime.GOMAXPROCS(0) >= waiting {
		return
	}
	if err := flag.Set("test.parallel", strconv.Itoa(waiting)); err != nil {
		panic(err) // only a program without tests lacks the flag
	}
}

func resetSignals() {
	ignored := false
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(s) {
			ignored = true
			signal.Notify(make(chan os.Signal, 1), s) // exec resets caught signals to their default
		}
	}
	if !ignored {
		return
	}
	exe, err := os.Executable()
	if err == nil {
		err = syscall.Exec(exe, os.Args, os.Environ())
	}
	fmt.Fprintln(os.Stderr, "restart with default signal handlers:", err)
	os.Exit(1)
}

// RemoveLate removes a directory when the test ends. A holder may write its last records there at that
// moment, so the removal is tried again for a while.
func RemoveLate(t testing.TB, dir string) {
	t.Helper()
	t.Cleanup(func() {
		for late := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			err := os.RemoveAll(dir)
			if err == nil {
				return
			}
			if time.Now().After(late) {
				t.Error(err)
				return
			}
		}
	})
}

// TempDir is like that of testing.T, for a directory to which a holder may write its last records when
// the test ends.
func TempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "hob")
	if err != nil {
		t.Fatal(err)
	}
	RemoveLate(t, dir)
	return dir
}

// WriteScript creates file as a program that sh runs: body, behind the line that names sh.
func WriteScript(t testing.TB, file, body string) {
	t.Helper()
	if err := WriteProgram(file, "#!/bin/sh\n"+body+"\n"); err != nil {
		t.Fatal(err)
	}
}

// WriteProgram creates file as a program with that content. No other program is started meanwhile:
// it would inherit the open file, and a file that is open for writing cannot be executed.
func WriteProgram(file, content string) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(file, []byte(content), 0o755) //nolint:gosec // a program
}
