package recipe

import (
	"bytes"
	"strings"
)

// AskHolder is a request to program, the hob-holder of the host, with the arguments args and input on its
// standard input. The program runs only if no other user can have replaced it.
func AskHolder(program string, input []byte, args ...string) string {
	var b strings.Builder
	b.WriteString("own_program " + Quote(program) + " || { echo \"$h_BAD\"; exit " + notOurs + "; }\n")
	if input != nil {
		b.WriteString("{\n:\n")
		printfs(&b, input)
		b.WriteString("} | ")
	}
	b.WriteString(HolderCommand(program, args...))
	return b.String()
}

// HolderCommand is the command that runs program with args, in words of a shell.
func HolderCommand(program string, args ...string) string {
	words := []string{Quote(program)}
	for _, a := range args {
		words = append(words, Quote(a))
	}
	return strings.Join(words, " ")
}

// notOurs is the status of a request to a program that another user can replace.
const notOurs = "124"

// The statuses of [AskHolder] for a program that did not run: it cannot be trusted, cannot be executed, or is
// not there.
const (
	NotOurs    = 124
	NotAllowed = 126
	NotThere   = 127
)

// HeldStates requests the state.json of jobs that have a holder, without it; see [ParseHeldStates].
func HeldStates(base string, ids []string) string {
	var b strings.Builder
	b.WriteString("cd " + Quote(base) + " 2>/dev/null || exit 0\nfor h_z in")
	for _, id := range ids {
		b.WriteString(" " + Quote(id))
	}
	b.WriteString("; do echo \"job $h_z\"; [ ! -f \"$h_z/state.json\" ] || cat \"$h_z/state.json\"; done")
	return b.String()
}

// ParseHeldStates returns the content of state.json by job.
func ParseHeldStates(out []byte) map[string][]byte {
	states := map[string][]byte{}
	id := ""
	for line := range bytes.Lines(out) {
		line = bytes.TrimSpace(line)
		if name, ok := bytes.CutPrefix(line, []byte("job ")); ok {
			id = string(name)
		} else if id != "" && len(line) > 0 {
			states[id] = line
		}
	}
	return states
}
