//go:build unix

package mcp_test

import (
	"strings"
	"testing"

	"github.com/hobjobs/hob/internal/testtool"
)

// Tasks of jobs on a host are as those of jobs here: they are canceled, waited for and cleared, and a
// server that was killed leaves them to the next.
func TestTasksOnHost(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "ssh", "sshd", "script", "stty", "setsid")
	h := newHome(t)
	h.addHost()
	p := h.tasker("tester")
	start := func(command string) string {
		t.Helper()
		return p.task("bash", params{"command": command, "host": "box", "background": true}).TaskID
	}
	id := start("echo first; sleep 1000")
	wait := p.task("process", params{"action": "wait", "sessionId": id, "until": "exit"}).TaskID
	failing := start("echo out; exit 7")
	if got := p.becomes(failing, "completed"); got.reply.code() != 7 || got.reply.output() != "out\n" {
		t.Errorf("the result: %s", got.reply.json)
	}
	if r := p.process("list", ""); !strings.Contains(r.json, `"host":"box"`) {
		t.Errorf("the list: %s", r.json)
	}
	if err := p.server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.leave()
	h.tasker("stranger").refusedTask("tasks/cancel", id, nil, -32602)
	p = h.tasker("tester")
	if _, err := p.taskCall("tasks/cancel", id, nil); err != nil {
		t.Fatal(err)
	}
	p.becomes(id, "cancelled")
	if got := p.becomes(wait, "completed"); !*got.reply.Met || got.reply.SessionID != id {
		t.Errorf("the wait: %s", got.reply.json)
	}
	p.process("clear", failing)
	if got := p.get(failing); got.Status != "completed" || !got.reply.noticed("cleared") {
		t.Errorf("after it was cleared: %+v", got)
	}
}
