package testtool

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Prepare makes what the tests start independent of how the tests were started.
// TestMain calls it before the tests; where the test program stands in for another, it
// does not.
//
// A program that was started with SIGHUP or SIGINT ignored, as nohup and a shell's &
// do, is executed anew: all that it starts would inherit that, and a shell cannot trap
// what was ignored when it began. Go installs its own handlers for all other signals.
//
// The tests let go of the terminal that they were started on.
//
// A race build sleeps a second at its exit, and the tests end many: GORACE, unless it
// is set, turns that off.
func Prepare() {
	if _, set := os.LookupEnv("GORACE"); !set {
		os.Setenv("GORACE", "atexit_sleep_ms=0")
	}
	resetSignals()
	leaveTerminal()
}

func resetSignals() {
	ignored := false
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(s) {
			ignored = true
			signal.Notify(make(chan os.Signal, 1), s) // exec gives what is caught its default
		}
	}
	if !ignored {
		return
	}
	exe, err := os.Executable()
	if err == nil {
		err = syscall.Exec(exe, os.Args, os.Environ())
	}
	fmt.Fprintln(os.Stderr, "begin anew with the default of signals:", err)
	os.Exit(1)
}
