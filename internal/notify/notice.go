// Package notify notifies the user of an event of a job: it describes the event, and runs the command of the setting
// [notify]. The holder of a job uses it, and a client for what no holder can send.
package notify

import (
	"cmp"
	"strconv"

	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/notifyevent"
)

// Notice describes an event of a job for the user's command.
type Notice struct {
	Event  notifyevent.Event
	Status string // of the job; "waiting" if it needs the user
	Code   string // the exit code, "" if there is none
	Result string // what happened: "needs input"
	Detail string // what a program reports about it; "": nothing
}

// Message returns one line for a person. name is that of the job.
func (n Notice) Message(name string) string {
	text := name + " " + n.Result
	if n.Detail != "" {
		text += ": " + n.Detail
	}
	return text
}

// Object is what the user's command reads as JSON.
type Object struct {
	Event   string `json:"event"`
	Message string `json:"message"`
	Job     any    `json:"job"` // as hob status --json prints it; nil: it cannot be read, or nothing here knows that form
}

// OfEnd describes the end of a job.
func OfEnd(end *record.Exit) Notice {
	n := Notice{
		Event:  notifyevent.Failed,
		Status: string(end.Status),
		Result: string(end.Status),
	}
	if st := (record.State{Status: end.Status, Exit: *end}); !st.Unsuccessful() {
		n.Event = notifyevent.Ended
	}
	if end.Code != nil {
		n.Code = strconv.Itoa(*end.Code)
	}
	switch {
	case end.Signal != "":
		n.Result += " (" + end.Signal + ")"
	case n.Code != "":
		n.Result += " (exit code " + n.Code + ")"
	}
	return n
}

// ProgramEvents returns the states of a program that are events.
func ProgramEvents() map[notifyevent.Event]record.ProgramState {
	return map[notifyevent.Event]record.ProgramState{
		notifyevent.Blocked: record.ProgramBlocked,
		notifyevent.Error:   record.ProgramError,
		notifyevent.Done:    record.ProgramDone,
	}
}

// OfState describes an event of a job that has not ended by its state now; applies is false if it no longer applies.
// question returns the last line of its output.
func OfState(event notifyevent.Event, st *record.State, question func() string) (n Notice, applies bool) {
	n = Notice{Event: event, Status: "waiting"}
	if state, ok := ProgramEvents()[event]; ok {
		return ofProgram(n, st, state), st.Program.Says(state)
	}
	switch event {
	case notifyevent.NeedsInput:
		n.Result = "needs input"
		if st.Entry == record.EntryHidden { // such as a password, which only the user can type
			n.Result = "waits for hidden input"
		} else {
			n.Detail = question()
		}
		return n, st.Waiting
	case notifyevent.Unhealthy:
		n.Status, n.Result = "running", "is unhealthy"
		if st.Health != nil {
			n.Detail = st.Health.Output
		}
		return n, st.Health.Is(record.Unhealthy)
	case notifyevent.Failed, notifyevent.Ended, notifyevent.Lost: // of jobs that have ended
	case notifyevent.Unreachable: // no state of the job: see package clientnotify
	case notifyevent.Blocked, notifyevent.Error, notifyevent.Done: // the states of a program, above
	}
	return n, false
}

// ofProgram describes the state that the program of a job reports.
func ofProgram(n Notice, st *record.State, state record.ProgramState) Notice {
	if st.Program != nil {
		r := st.Program.ProgramReport
		n.Detail = cmp.Or(r.Message, r.Title, string(r.Kind))
	}
	switch state {
	case record.ProgramBlocked:
		n.Result = "is blocked"
		return n
	case record.ProgramDone:
		n.Result = "is done"
	case record.ProgramError:
		n.Result = "reports an error"
	case record.ProgramIdle, record.ProgramWorking: // no events
	}
	n.Status = "running"
	if st.Exit.Known() {
		n.Status = string(st.Exit.Status)
	}
	return n
}
