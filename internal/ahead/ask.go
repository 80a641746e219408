//go:build linux || darwin

package ahead

import (
	"os"
	"sync/atomic"
)

// What a holder answers to a request: one line. Before it executes anything it says the
// id where the request came from, too, for who finds that the holder has died.
const (
	AnswerRuns = "ok "   // and the id: the job runs
	AnswerMore = "more " // and the id: it has ended already, could not be started, or there is something else to be said
	AnswerNo   = "no"    // nothing was started: who asks does it in the other way
)

type verdict int

const (
	none verdict = iota // as yet
	runs
	more
	no
)

type answer struct {
	id      string
	verdict verdict
}

// answerOf reads what a holder has said so far.
func answerOf(said string) (a answer) {
	line, whole := lineOf(said)
	switch {
	case !whole:
		return a
	case begins(line, AnswerRuns):
		return answer{line[len(AnswerRuns):], runs}
	case begins(line, AnswerMore):
		return answer{line[len(AnswerMore):], more}
	case line == AnswerNo, begins(line, "{"): // a holder that knows no requests answers JSON
		return answer{verdict: no}
	}
	return a // last words
}

// lineOf is the first line of said; whole is false if its end is missing.
func lineOf(said string) (line string, whole bool) {
	for i := range len(said) {
		if said[i] == '\n' {
			return said[:i], true
		}
	}
	return "", false
}

// asked is the job that a holder was asked for, if there is more to be said of it
// than its id.
var asked atomic.Pointer[string]

// Asked is the id of the job that [Begin] had started, if there is more to be said of it:
// it has ended already, or its holder has died, or its id could not be printed; else empty.
func Asked() string {
	if id := asked.Load(); id != nil {
		return *id
	}
	return ""
}

// begun asks c for the job of a command line, if that is a request. It reports
// whether all is done; kept is false if c was used up.
func begun(c child, args []string) (done, kept bool) {
	if !asks || !c.other {
		return false, true
	}
	r, ok := requestOf(args, os.Environ())
	if !ok || onScreen(os.Stdout) {
		return false, true
	}
	var err error
	if r.Dir, err = os.Getwd(); err != nil {
		return false, true
	}
	a := ask(c, &r)
	if a.id == "" || a.verdict == no {
		return false, false
	}
	if a.verdict == runs {
		if _, err := os.Stdout.WriteString(a.id + "\n"); err == nil {
			return true, false
		}
	}
	asked.Store(&a.id)
	return false, false
}
