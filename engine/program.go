package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hobjobs/hob/engine/record"
)

// What the programs in a job's terminal report about their own status, with OSC 7501.
type (
	// Program has the reports of the programs in a job's terminal: the most urgent one, and all of them.
	Program = record.Program
	// ProgramReport is the report of a program about itself, or about one of its tasks. Nothing verifies it: a
	// program can report anything.
	ProgramReport = record.ProgramReport
	// ProgramState is the state that a program reports: whether it works, waits, is done or has failed.
	ProgramState = record.ProgramState
	// ProgramKind is what a blocked program needs of the user.
	ProgramKind = record.ProgramKind
	// ProgramChange is a change of the state that a program reports, without its texts.
	ProgramChange = record.ProgramChange
	// LastCommand is how the last command that was typed into a shell ended, as the shell reports it.
	LastCommand = record.LastCommand
)

// The values of [ProgramState] and [ProgramKind].
const (
	ProgramIdle    = record.ProgramIdle    // at rest
	ProgramWorking = record.ProgramWorking // busy
	ProgramDone    = record.ProgramDone    // has a result that the user has not seen
	ProgramBlocked = record.ProgramBlocked // needs the user
	ProgramError   = record.ProgramError   // failed, and stopped

	NeedsUnknown    = record.NeedsUnknown    // the program does not report what it needs
	NeedsPermission = record.NeedsPermission // to do something
	NeedsAnswer     = record.NeedsAnswer     // to a question
	NeedsSecret     = record.NeedsSecret     // a password or a login
)

// Urgencies of notifications.
const (
	UrgencyLow      = record.UrgencyLow
	UrgencyCritical = record.UrgencyCritical
)

// ParseProgramStates parses a list of states that programs report, such as "done,blocked".
func ParseProgramStates(list string) (states []ProgramState, err error) {
	known := []ProgramState{ProgramIdle, ProgramWorking, ProgramDone, ProgramBlocked, ProgramError}
	for word := range strings.SplitSeq(list, ",") {
		state := ProgramState(strings.TrimSpace(word))
		if !slices.Contains(known, state) {
			return nil, fmt.Errorf("unknown status %q; use idle, working, done, blocked or error", word)
		}
		states = append(states, state)
	}
	return states, nil
}

// NeedsSecret reports whether the input that the job needs must not be shown, or passed on by anyone but the user:
// its terminal does not echo it, its program reports that it needs a password or a login, or one of the lines is a
// prompt for a secret.
//
// The lines are the last ones of the job's streams, as far as the caller has read them. Their text is the only sign
// of a program that asks for a secret and leaves the echo on, and of a job whose terminal cannot be checked.
func (j Job) NeedsSecret(lines ...string) bool {
	programSays := j.Program.Says(ProgramBlocked) && j.Program.Kind == NeedsSecret
	return j.Entry == EntryHidden || programSays || slices.ContainsFunc(lines, asksSecret)
}

// programSummary is the most urgent report of the programs in the terminal. It is empty if there is none.
func (j *Job) programSummary() string {
	p := j.Program
	if p == nil {
		return ""
	}
	text := cmp.Or(p.Message, p.Title)
	switch p.State {
	case ProgramBlocked:
		return "blocked: " + needOf(p.Kind, text)
	case ProgramWorking:
		return cmp.Or(text, "working")
	case ProgramIdle, ProgramDone, ProgramError:
	}
	if text == "" {
		return string(p.State)
	}
	return string(p.State) + ": " + text
}

// needOf describes what a blocked program needs. text is its message about that, or empty.
func needOf(kind ProgramKind, text string) string {
	need, alone := "", "needs you"
	switch kind {
	case NeedsPermission:
		need, alone = "permission", "needs a permission"
	case NeedsAnswer:
		need, alone = "question", "asks a question"
	case NeedsSecret:
		need, alone = "login", "needs a login"
	case NeedsUnknown:
	}
	switch {
	case text == "":
		return alone
	case need == "":
		return text
	}
	return need + " · " + text
}
