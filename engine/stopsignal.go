package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hobjobs/hob/internal/proc"
)

// parseStopSignal returns the name of a signal that can ask a job to end. SIGTERM is the default, which is
// empty.
func parseStopSignal(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	sig, err := proc.ParseSignal(text)
	if err != nil {
		return "", err
	}
	switch name := proc.SignalName(sig); name {
	case "SIGTERM":
		return "", nil
	case "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGCONT", "SIGCHLD":
		return "", fmt.Errorf("%s does not end a program; use a signal such as SIGINT", name)
	default:
		return name, nil
	}
}

// portableSignals are the signals that the shells of hosts know by name.
var portableSignals = []string{
	"SIGHUP", "SIGINT", "SIGQUIT", "SIGABRT", "SIGKILL", "SIGALRM", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGWINCH",
}

func checkStopSignal(s Spec, _ bool) (problem, hint string) {
	name, err := parseStopSignal(s.StopSignal)
	if err != nil {
		return "the stop signal: " + err.Error(), ""
	}
	if s.Host != "" && !slices.Contains(portableSignals, cmp.Or(name, "SIGTERM")) {
		return "{stop-signal} " + name + " cannot be combined with {on}", "use a signal that every system has, such as SIGINT"
	}
	return "", ""
}
