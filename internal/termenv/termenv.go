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

// UTF8 reports whether programs write UTF-8, as the first of LC_ALL, LC_CTYPE and LANG
// that is not empty has it. Without any of them the locale is C, in which they do not; but
// a terminal of macOS shows UTF-8 and does not pass its locale on over SSH, and one of
// Windows has no such variables.
func UTF8(goos string, getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToUpper(getenv(name)); locale != "" {
			return strings.Contains(locale, "UTF-8") || strings.Contains(locale, "UTF8")
		}
	}
	return goos == "darwin" || goos == "windows"
}
