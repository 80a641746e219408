package testtool

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// DefaultSignals begins the test program anew if it was started with SIGHUP or SIGINT
// ignored, as nohup and a shell's & do: whatever the tests start would inherit that,
// and a shell cannot trap what was ignored when it began. TestMain calls it before the
// tests; where the program stands in for another, the signals stay as that got them.
// Go installs its own handlers for all other signals.
func DefaultSignals() {
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
