package recipe

import (
	"bytes"
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

// HeldFiles requests the state.json and the sizes of the logs of jobs that have a holder, without it; see
// [ParseHeldFiles].
func HeldFiles(base string, ids []string) string {
	var b strings.Builder
	b.WriteString("cd " + Quote(base) + " 2>/dev/null || exit 0\nfor h_z in")
	for _, id := range ids {
		b.WriteString(" " + Quote(id))
	}
	b.WriteString("; do echo \"job $h_z\"; [ ! -f \"$h_z/state.json\" ] || cat \"$h_z/state.json\"; done\nh_sized=")
	var logs []string
	for _, id := range ids {
		for _, log := range []string{jobdir.OutputFile, jobdir.StdoutFile, jobdir.StderrFile} {
			logs = append(logs, id+"/"+log)
		}
	}
	b.WriteString(Quote(strings.Join(logs, " ")) + "\nsizes 2>/dev/null")
	return b.String()
}

// HeldJob is what the files of a job that has a holder show.
type HeldJob struct {
	State []byte // content of state.json; nil: there is none
	Logs  *Entry
}

// ParseHeldFiles reads the answer to [HeldFiles].
func ParseHeldFiles(out []byte) map[string]HeldJob {
	jobs := map[string]HeldJob{}
	p := listParser{l: Listing{Jobs: map[string]*Entry{}}}
	id := ""
	for line := range bytes.Lines(out) {
		line = bytes.TrimSpace(line)
		name, isJob := bytes.CutPrefix(line, []byte("job "))
		switch j := jobs[id]; {
		case isJob:
			id = string(name)
			p.l.Jobs[id] = &Entry{ID: id, Claimed: true, Sizes: map[string]int64{}}
			jobs[id] = HeldJob{Logs: p.l.Jobs[id]}
		case isMode(string(line)):
			p.log(string(line))
		case id != "" && len(line) > 0:
			j.State = line
			jobs[id] = j
		}
	}
	return jobs
}
