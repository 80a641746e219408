package cause

import (
	"slices"
	"strconv"
	"strings"
)

// Summary returns the line of an output that best explains how a program ended, for a list that
// shows the exit code beside it: why the program failed, otherwise, with found false, its last line.
// The lines are the end of the output, as for [Find].
func Summary(lines []string, code int) (text string, found bool) {
	if code != 0 {
		if c, ok := Find(lines, code); ok && c.Explains(code) {
			return c.brief(), true
		}
	}
	return LastLine(lines), false
}

// PortInUseIn returns the port of a summary that says only that a port is in use.
func PortInUseIn(summary string) (port int, ok bool) {
	text, ok := strings.CutPrefix(summary, "port ")
	text, in := strings.CutSuffix(text, " is in use")
	port, err := strconv.Atoi(text)
	return port, ok && in && err == nil
}

// Explains reports whether the cause can be that of an end with the given exit code. People and
// supervisors end programs with SIGHUP, SIGINT and SIGTERM: what such a program reported before did not
// end it.
func (c Cause) Explains(code int) bool {
	return c.Kind == Interrupted || !slices.Contains([]int{129, 130, 143}, code)
}

// brief is Phrase without words that say no more than that the program failed.
func (c Cause) brief() string {
	switch c.Kind {
	case TestFailure, Exception:
		c.Kind = Unknown
	}
	return c.Phrase()
}
