// Package termenv knows the environment variables that describe a terminal: those
// of a caller say nothing of the terminal that a job gets.
package termenv

import "strings"

// Describes reports whether the variable describes a terminal, or the program that
// shows one.
func Describes(name string) bool {
	switch name {
	case "TERM", "COLORTERM", "LINES", "COLUMNS", "STY", "TERMCAP":
		return true
	}
	return strings.HasPrefix(name, "TMUX") || strings.HasPrefix(name, "TERM_PROGRAM")
}
