// Package termenv is about the terminal that a program runs on: which environment variables
// describe it, which do not apply to the terminal that a job gets, and how it is queried and
// restored.
package termenv

import (
	"image/color"
	"strings"
	"time"
)

// AnswersWithin is how long after a query a terminal may still answer.
const AnswersWithin = time.Second

// PushTitle saves the title of the terminal on the terminal's own stack, so that a program can
// show another one. PopTitle restores it.
const (
	PushTitle = "\x1b[22;0t"
	PopTitle  = "\x1b[23;0t"
)

// RGB is a color with eight bits a channel; nil is black.
func RGB(c color.Color) [3]uint8 {
	if c == nil {
		return [3]uint8{}
	}
	r, g, b, _ := c.RGBA()
	return [3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}
}

// Describes reports whether the variable describes a terminal, or the program that
// shows one.
func Describes(name string) bool {
	switch name {
	case "TERM", "COLORTERM", "LINES", "COLUMNS", "STY", "TERMCAP":
		return true
	}
	return strings.HasPrefix(name, "TMUX") || strings.HasPrefix(name, "TERM_PROGRAM")
}

// UTF8 reports whether programs write UTF-8, according to the first of LC_ALL, LC_CTYPE and LANG
// that is not empty. If all are empty, the locale is C, which is not UTF-8, except on macOS, where
// SSH does not forward the terminal's locale, and on Windows, which does not use these variables.
func UTF8(goos string, getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToUpper(getenv(name)); locale != "" {
			return strings.Contains(strings.ReplaceAll(locale, "-", ""), "UTF8")
		}
	}
	return goos == "darwin" || goos == "windows"
}
