//go:build unix

package mcp_test

import (
	"strings"
	"testing"
)

// The message of a wait that has ended does not claim that its condition was met if it was not.
func TestMessageOfEndedWait(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := newGate(t)
	p := h.tasker("tester")
	id := p.task("bash", params{"command": "read -r x < " + gate.path + "; echo ready", "background": true}).TaskID
	wait := func(until string, timeout any) string {
		t.Helper()
		return p.task("process", params{"action": "wait", "sessionId": id, "until": until, "timeout": timeout}).TaskID
	}
	late, canceled := wait("never", 300), wait("never", nil)
	ended, met := wait("never\nport:1", nil), wait("^ready", nil)
	if _, err := p.taskCall("tasks/cancel", canceled, nil); err != nil {
		t.Fatal(err)
	}
	p.becomes(late, "completed")
	gate.open()
	for task, want := range map[string]string{
		late:  "not yet after ",
		ended: "the job ended before that: never or port:1",
		met:   "waited until ^ready",
	} {
		if got := p.becomes(task, "completed"); !strings.HasPrefix(got.StatusMessage, want) {
			t.Errorf("the message is %q, want %q", got.StatusMessage, want)
		}
	}
	if got := p.becomes(canceled, "cancelled"); strings.Contains(got.StatusMessage, "running") {
		t.Errorf("the message of a canceled wait tells of a job that has ended: %q", got.StatusMessage)
	}
}
