package engine

import (
	"fmt"
	"slices"

	"github.com/hobjobs/hob/internal/proc"
)

// parseStopSignal returns the name of a signal that can ask a job to end. SIGTERM is the default, which is
// empty.
func parseStopSignal(text string) (string, error) {
	sig, err := proc.ParseSignal(text)
	if err != nil {
		return "", err
	}
	switch name := proc.SignalName(sig); name {
	case "SIGTERM":
		return "", nil
	case "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGCONT", "SIGCHLD":
		return "", fmt.Errorf("%s ends no program; use a signal such as SIGINT", name)
	default:
		return name, nil
	}
}

// portableSignals are the signals that the shells of hosts know by name.
var portableSignals = []string{
	"SIGHUP", "SIGINT", "SIGQUIT", "SIGABRT", "SIGKILL", "SIGALRM", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGWINCH",
}

func checkStopSignal(s Spec, _ bool) (problem, hint string) {
	if s.StopSignal == "" {
		return "", ""
	}
	if _, err := parseStopSignal(s.StopSignal); err != nil {
		return "the stop signal: " + err.Error(), ""
	}
	if s.Host != "" && !slices.Contains(portableSignals, s.StopSignal) {
		return "{stop-signal} " + s.StopSignal + " cannot be combined with {on}", "use a signal that every system has, such as SIGINT"
	}
	return "", ""
}
