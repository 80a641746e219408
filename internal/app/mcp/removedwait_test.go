//go:build unix

package mcp_test

import (
	"testing"
)

// The outcome of a wait remains when its job was cleared.
func TestWaitOfClearedJob(t *testing.T) {
	t.Parallel()
	t.Run("removed while it waits", func(t *testing.T) {
		h := newHome(t)
		p := h.tasker("tester")
		id := p.task("bash", params{"command": "sleep 1000", "background": true}).TaskID
		wait := p.task("process", params{"action": "wait", "sessionId": id, "until": "zz"}).TaskID
		h.hob("remove " + id)
		for range 2 { // the second one reads the recorded end
			if got := p.becomes(wait, "completed"); got.reply.Met == nil || *got.reply.Met || got.reply.Reason != "kill" || !got.reply.noticed("ended before") || !got.reply.noticed("cleared") {
				t.Errorf("the result: %s", got.reply.json)
			}
		}
	})
	t.Run("removed without a server", func(t *testing.T) {
		h := newHome(t)
		p := h.tasker("tester")
		id := p.task("bash", params{"command": "sleep 1000", "background": true}).TaskID
		wait := p.task("process", params{"action": "wait", "sessionId": id, "until": "zz"}).TaskID
		if err := p.server.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		p.leave()
		h.hob("remove " + id)
		if got := h.tasker("tester").becomes(wait, "completed"); got.reply.Met == nil || *got.reply.Met || !got.reply.noticed("ended before") {
			t.Errorf("the result: %s", got.reply.json)
		}
		h.tasker("stranger").refusedTask("tasks/get", wait, nil, -32602)
	})
	t.Run("met before", func(t *testing.T) {
		h := newHome(t)
		gate := newGate(t)
		p := h.tasker("tester")
		id := p.task("bash", params{"command": "read -r x < " + gate.path + "; echo ready", "background": true}).TaskID
		wait := p.task("process", params{"action": "wait", "sessionId": id, "until": "^ready"}).TaskID
		gate.open()
		p.becomes(wait, "completed")
		h.ended(id)
		h.hob("clear " + id)
		if got := p.becomes(wait, "completed"); got.reply.Met == nil || !*got.reply.Met || got.reply.Match != "ready" || got.reply.code() != 0 {
			t.Errorf("the result: %s", got.reply.json)
		}
	})
}

// A wait for several jobs exists as long as one of them, even if the first one was deleted.
func TestWaitOfDeletedJob(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.tasker("tester")
	var ids []string
	for range 2 {
		ids = append(ids, p.task("bash", params{"command": "sleep 1000", "background": true}).TaskID)
	}
	wait := p.task("process", params{"action": "wait", "sessionIds": ids, "until": "exit"}).TaskID
	h.hob("remove " + ids[0])
	p.becomes(wait, "completed")
	h.hob("clear --now")
	p.refusedTask("tasks/get", ids[0], nil, -32602)
	if got := p.becomes(wait, "completed"); got.reply.Met == nil || !*got.reply.Met || got.reply.Reason != "kill" {
		t.Errorf("the result: %s", got.reply.json)
	}
	h.tasker("stranger").refusedTask("tasks/get", wait, nil, -32602)
	h.hob("remove " + ids[1])
	h.hob("clear --now")
	p.refusedTask("tasks/get", wait, nil, -32602)
}
