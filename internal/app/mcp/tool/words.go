package tool

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/plain"
	"github.com/hobjobs/hob/internal/units"
)

// StatusOf returns the status of a job in an answer.
func StatusOf(j engine.Job) string {
	exit, ok := j.Ended()
	switch {
	case j.Status == engine.Queued:
		return statusQueued
	case !ok:
		return statusRunning
	case j.Status == engine.Exited && !ranNothing(exit):
		return statusCompleted
	}
	return statusFailed
}

// WaitReason returns why a job is queued; empty if it is not.
func WaitReason(j engine.Job, now time.Time) string {
	if j.Status != engine.Queued {
		return ""
	}
	return cmp.Or(plain.OneLine(j.WaitReason(now), 300), "not started yet")
}

// ranNothing reports whether a shell exited because it could not run the command.
func ranNothing(exit engine.Exit) bool {
	if exit.Code == nil {
		return false
	}
	return *exit.Code == 126 || *exit.Code == 127
}

// InWords describes the state or the end of a job, with its duration.
func InWords(j engine.Job, now time.Time) string {
	took := units.FormatTook(j.Uptime(now))
	exit, ok := j.Ended()
	if !ok {
		text := cmp.Or(WaitReason(j, now), "for "+took)
		if j.Status == engine.Stopping {
			text = "being stopped"
		}
		if j.Paused {
			text += ", paused"
		}
		if j.Link == engine.LinkUnreachable {
			what := "its host is unreachable"
			if j.Host == "" {
				what = "unreachable (" + plain.OneLine(j.LinkError, 200) + ")"
			}
			text += ", " + what + ": this is its last known state"
		}
		return text
	}
	switch {
	case j.Status == engine.Lost, j.Status == engine.Failed:
		return plain.OneLine(j.Ending(), 300)
	case exit.Reason == engine.ReasonTimeout:
		return "killed by its timeout after " + took
	case exit.Code != nil && *exit.Code == 0:
		return "exited 0 after " + took
	}
	return plain.OneLine(j.Ending(), 300) + ", after " + took
}

// Call formats a call of process with the given arguments: names and values in turn.
func Call(action string, id engine.ID, more ...any) string {
	var b strings.Builder
	fmt.Fprintf(&b, `process {"action":%q,"sessionId":%q`, action, id)
	for i := 0; i+1 < len(more); i += 2 {
		v, err := json.Marshal(more[i+1])
		if err != nil {
			continue // cannot happen: callers pass strings and numbers
		}
		fmt.Fprintf(&b, `,%q:%s`, more[i], v)
	}
	b.WriteByte('}')
	return b.String()
}

// next suggests the call after an answer about j.
func next(j engine.Job) string {
	switch {
	case j.Status.Finished():
		return Call("log", j.ID)
	case j.Status == engine.Queued:
		return Call("wait", j.ID, "timeout", 60000) + " for its end; " + Call("kill", j.ID) + " ends it now"
	case j.Waiting && j.HasTerminal():
		return Call("screen", j.ID) + ", then " + Call("submit", j.ID, "data", "…")
	case j.NeedsInput() && !j.Waiting:
		return "a person attaches: hob attach " + string(j.ID)
	case j.Waiting:
		return Call("write", j.ID, "data", "…\n")
	}
	return Call("poll", j.ID, "timeout", 20000) + " for new output, or " + Call("wait", j.ID, "timeout", 60000) + " for its end"
}

// possible lists the actions that a job in its current state allows.
func possible(j engine.Job) string {
	var can []string
	switch {
	case j.Status.Finished():
		can = []string{"poll", "log", "restart", "clear", "remove"}
	case j.Status == engine.Queued:
		return "poll, log, wait, kill, remove, restart"
	case j.Stdin.Writable():
		can = []string{"poll", "log", "write", "send-keys", "submit", "paste", "wait", "kill", "remove", "restart"}
	default:
		can = []string{"poll", "log", "wait", "kill", "remove", "restart"}
	}
	if j.HasTerminal() {
		can = append(can, "screen")
	}
	if j.Kind == engine.KindVirtual { // only the program that runs it could restart it
		can = slices.DeleteFunc(can, func(name string) bool { return name == "restart" })
	}
	return strings.Join(can, ", ")
}
