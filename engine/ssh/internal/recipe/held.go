package recipe

import (
	"fmt"
	"strings"

	"github.com/hobjobs/hob/internal/jobdir"
)

// CheckHolder precedes [AskHolder]: the program runs only if no other user can have replaced it.
func CheckHolder(program string) string {
	return "own_program " + Quote(program) + " || { echo \"$h_BAD\"; exit " + notOurs + "; }\n"
}

// AskHolder is a request to program, the hob-holder of the host, with the arguments args and input on its
// standard input.
func AskHolder(program string, input []byte, args ...string) string {
	var b strings.Builder
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

// The statuses of [CheckHolder] and [AskHolder] for a program that did not run: it cannot be trusted, cannot be
// executed, or is not there.
const (
	NotOurs    = 124
	NotAllowed = 126
	NotThere   = 127
)

// NotifyFile requests the file of dir that shows how a notification failed. The answer is empty if there is none.
func NotifyFile(dir string) string {
	file := Quote(dir + "/" + jobdir.NotifyFile)
	return fmt.Sprintf("[ ! -f %s ] || dd if=%[1]s bs=%d count=1 2>/dev/null", file, jobdir.MaxNotify)
}
