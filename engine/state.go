package engine

import (
	"fmt"
	"slices"
)

// steps is every change of status there can be. What finished stays so.
func steps(from Status) []Status {
	switch from {
	case "":
		return []Status{Starting, Running, Stopping, Exited, Killed, Failed, Lost}
	case Starting:
		return []Status{Running, Stopping, Exited, Killed, Failed, Lost}
	case Running:
		// Failed: a virtual execution runs from the first, and its program may say
		// that it failed.
		return []Status{Stopping, Exited, Killed, Failed, Lost}
	case Stopping:
		// Back to running: a stop that was given up.
		return []Status{Running, Exited, Killed, Failed, Lost}
	case Exited, Killed, Failed, Lost:
	}
	return nil
}

// checkStep reports an error naming both statuses if a job cannot go from one to
// the other. Staying is no step.
func checkStep(from, to Status) error {
	if from == to || slices.Contains(steps(from), to) {
		return nil
	}
	return fmt.Errorf("a job cannot go from %q to %q", from, to)
}
