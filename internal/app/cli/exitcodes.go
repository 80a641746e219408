package cli

import (
	"fmt"
	"slices"
	"strings"
)

// The exit codes of hob itself.
const (
	exitFailed  = 1
	exitUsage   = 2
	exitNoJob   = 3
	exitState   = 4   // the job is in the wrong state for this
	exitHost    = 5   // host unreachable or refused
	exitTimeout = 124 // wait ran out of time
	exitBroken  = 130 // Ctrl+C at a prompt
	exitHob     = 125 // run, attach, wait: hob failed, not the job
)

// exitCode is an exit code and its meaning, as shown in help, the manual and docs/scripts.md.
type exitCode struct {
	code, text string
	commands   []string // that can exit with it; nil: all
}

// exitCodes returns the exit codes in the order in which they are shown. A command may have a more precise text
// than the one for all commands.
func exitCodes() []exitCode {
	ofJobs := []string{
		"run", "attach", "restart", "revive", "status", "poll", "log", "why", "screen", "replay", "write", "wait", "queue", "kill", "clear", "remove",
	}
	acting := []string{"attach", "restart", "revive", "screen", "write", "queue", "kill", "clear", "remove"}
	connecting := []string{
		"run", "attach", "restart", "revive", "poll", "log", "screen", "write", "wait", "queue", "kill", "clear", "remove",
		"hosts check", "hosts install", "hosts uninstall",
	}
	instead := []string{"run", "attach", "wait"} // exit as the job does
	return []exitCode{
		{"0", "success", nil},
		{"0", "or you left the job with Ctrl+B", []string{"run", "attach"}},
		{"1", "failure", nil},
		{"1", "the settings have problems", []string{"config"}},
		{"1", "no process that hob can see listens on the port", []string{"who"}},
		{"1", "a process could not be started", []string{"up"}},
		{"1", "a job was not started again", []string{"revive"}},
		{"1", "a job ended before a condition held", []string{"wait"}},
		{"2", "usage error", nil},
		{"2", "or a reference that matches several jobs", ofJobs},
		{"3", "no such job", append(ofJobs, "down")},
		{"4", "the job's status does not allow this", acting},
		{"5", "a host is unreachable or refuses", append(connecting, "list")},
		{"124", "timed out", []string{"wait"}},
		{"125", "hob itself failed, the job is lost, or it was killed while it was queued", instead},
		{"125", "part of the output could not be forwarded", []string{"run", "attach"}},
		{"126, 127", "the command could not be started", []string{"run", "restart"}},
		{"130", "Ctrl+C at a prompt", append(connecting, "up")},
		{"141", "the program that reads stdout has closed the pipe", []string{"run", "attach", "log", "poll", "events"}},
		{"others", "the job's own code; 128 plus the signal number if a signal ended it", instead},
	}
}

// exitStatusOf returns the EXIT STATUS section of a command's help.
func exitStatusOf(command string) string {
	var b strings.Builder
	b.WriteString("EXIT STATUS\n")
	last := ""
	for _, c := range exitCodes() {
		if c.commands != nil && !slices.Contains(c.commands, command) {
			continue
		}
		code := c.code
		if code == last { // a second meaning
			code = ""
		}
		last = c.code
		fmt.Fprintf(&b, "  %-8s  %s\n", code, c.text)
	}
	return strings.TrimRight(b.String(), "\n")
}

// exitRows returns one item for each exit code, with its meanings. If only a few commands have a meaning, they
// are named before it.
func exitRows(mark string) (rows []manItem) {
	for _, c := range exitCodes() {
		text := c.text
		if c.commands != nil && len(c.commands) < 5 {
			text = mark + strings.Join(c.commands, mark+", "+mark) + mark + ": " + text
		}
		if n := len(rows); n > 0 && rows[n-1].Term == c.code {
			rows[n-1].Text += "; " + text
			continue
		}
		rows = append(rows, manItem{c.code, text})
	}
	return rows
}
