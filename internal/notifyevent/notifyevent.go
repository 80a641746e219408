// Package notifyevent is the table of the events of a job that can run the command of [notify]. Settings, the
// holder and the documentation read it. An event is in the table only if hob sends it.
package notifyevent

import (
	"errors"
	"slices"
	"strings"
)

// Event is the name of an event, as in the settings and in HOB_EVENT.
type Event string

// The events.
const (
	Failed     Event = "failed"
	Ended      Event = "ended"
	NeedsInput Event = "needs_input"
	Blocked    Event = "blocked"
	Error      Event = "error"
	Done       Event = "done"
	Unhealthy  Event = "unhealthy"

	Unreachable Event = "unreachable"
	Lost        Event = "lost"
)

// Row describes an event.
type Row struct {
	Event   Event
	When    string // when it is sent, for the documentation
	Default bool   // it is sent unless the settings select events
}

// Table returns all events.
func Table() []Row {
	return []Row{
		{Failed, "the job failed: a nonzero exit code, a signal, its timeout, or it could not be started", true},
		{Ended, "the job succeeded, or you stopped it", true},
		{NeedsInput, "the job waits for input in its terminal", true},
		{Blocked, "the program [reports](program-status.md) that it needs the user", true},
		{Error, "the program reports an error", false},
		{Done, "the program reports a result", false},
		{Unhealthy, "the [health check](keep-running.md) of the job failed, as often as set", false},
		{Unreachable, "the host of the job stopped answering", false},
		{Lost, "the job ended without a record: its holder was killed, or the machine restarted", false},
	}
}

// Defaults returns the events that are sent unless the settings select others.
func Defaults() []Event {
	var events []Event
	for _, r := range Table() {
		if r.Default {
			events = append(events, r.Event)
		}
	}
	return events
}

// Names returns the names of all events, separated by commas.
func Names() string {
	var names []string
	for _, r := range Table() {
		names = append(names, string(r.Event))
	}
	return strings.Join(names, ", ")
}

// Parse returns the events with these names. Its error names the first that is unknown.
func Parse(names []string) ([]Event, error) {
	events := make([]Event, 0, len(names))
	for _, name := range names {
		known := slices.ContainsFunc(Table(), func(r Row) bool { return string(r.Event) == name })
		if !known {
			return nil, errors.New("unknown event \"" + name + "\"; use " + Names())
		}
		events = append(events, Event(name))
	}
	return events, nil
}
