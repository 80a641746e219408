//go:build unix

package mcp_test

import (
	"strings"
	"testing"
	"time"
)

// The recommended pause grows while polls return nothing, and starts over after new output.
func TestIdlePollsGetRecommendedPause(t *testing.T) {
	t.Parallel()
	gate := newGate(t)
	p := newHome(t).agent("tester")
	id := p.bash(params{"command": "read -r x < " + gate.path + "; echo news; sleep 1000", "background": true}).SessionID
	for i, want := range []string{"again in 5.0 s", "again in 10.0 s", "again in 30.0 s", "again in 1m", "again in 1m"} {
		if r := p.process("poll", id); !r.noticed(want) {
			t.Errorf("poll %d: %v, want %q", i+1, r.Notices, want)
		}
	}
	gate.open()
	if r := p.process("poll", id, "timeout", 30000); r.output() != "news\n" || r.noticed("again in") || !r.noticed("poll 6") {
		t.Errorf("with news: %s", r.json)
	}
	if r := p.process("poll", id); !r.noticed("again in 5.0 s") {
		t.Errorf("idle again: %v", r.Notices)
	}
	p.process("kill", id)
	for range 2 {
		if r := p.process("poll", id); r.noticed("again in") || r.noticed("of a job that runs") {
			t.Errorf("after the end: %v", r.Notices)
		}
	}
}

// Repeated identical log calls are a loop too. For a finished job, no notice suggests that it is
// stuck.
func TestLoopOfLogsIsNoticed(t *testing.T) {
	t.Parallel()
	p := newHome(t).agent("tester")
	id := p.bash(params{"command": "echo begun; sleep 1000", "background": true}).SessionID
	p.process("wait", id, "until", "begun")
	for i := range 20 {
		if r := p.process("log", id); r.noticed("same answer") != (i == 19) {
			t.Fatalf("log %d: %v", i+1, r.Notices)
		}
	}
	p.process("kill", id)
	for range 25 {
		for _, action := range []string{"poll", "log"} {
			if r := p.process(action, id); r.noticed("stuck") {
				t.Fatalf("%s of a job that has ended: %v", action, r.Notices)
			}
		}
	}
}

// Excluded output does not end a poll: it waits for its timeout or for the end of the job.
func TestPollOfExcludedLines(t *testing.T) {
	t.Parallel()
	gate := newGate(t)
	p := newHome(t).agent("tester")
	id := p.bash(params{"command": "echo noise; read -r x < " + gate.path + "; echo noise; exit 3", "background": true}).SessionID
	p.process("wait", id, "until", "noise")
	if r := p.process("poll", id, "exclude", "noise", "timeout", 100); r.output() != "" || r.Status != "running" {
		t.Errorf("at the end of its time: %s", r.json)
	}
	gate.open()
	p.process("wait", id)
	if r := p.process("poll", id, "exclude", "noise", "timeout", 30000); r.output() != "" || r.Status != "completed" || r.code() != 3 {
		t.Errorf("at the end of the job: %s", r.json)
	}
	kept := p.bash(params{"command": "echo noise; echo signal; sleep 1000", "background": true}).SessionID
	p.process("wait", kept, "until", "signal")
	if r := p.process("poll", kept, "filter", "^sig"); r.output() != "signal\n" {
		t.Errorf("filter: %q", r.output())
	}
	p.refused("process", params{"action": "poll", "sessionId": kept, "exclude": "["}, "usage", "exclude")
}

// A poll reports dropped output once, and the next session continues where the last one stopped.
func TestNextSessionContinuesReading(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := newGate(t)
	p := h.agent("tester", "HOB_MAX_OUTPUT_CHARS=1000")
	id := p.bash(params{"command": "seq 1000; read -r x < " + gate.path + "; echo more", "background": true}).SessionID
	p.process("wait", id, "until", "^1000$")
	if r := p.process("poll", id); !r.Truncated || !strings.HasSuffix(r.output(), "1000\n") {
		t.Errorf("the first poll: %s", r.json)
	}
	if r := p.process("poll", id); r.Truncated || r.output() != "" {
		t.Errorf("the second poll: %s", r.json)
	}
	p.leave()
	gate.open()
	next := h.agent("tester")
	next.process("wait", id)
	if r := next.process("poll", id); r.output() != "more\n" || r.Status != "completed" {
		t.Errorf("the next session: %s", r.json)
	}
	if r := next.process("log", id, "limit", 2); r.output() != "1000\nmore\n" {
		t.Errorf("its log: %q", r.output())
	}
}

// Canceling a call ends its command with all processes, however much they print.
func TestCancelEndsEndlessOutput(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := newGate(t)
	p := h.agent("tester")
	h.cancelled(p, gate, params{"command": "for i in 1 2 3 4 5; do sleep 1000 & done; echo go > " + gate.path + "; yes", "yieldMs": 120000})
}

// Every list shows the state of a job; a command that ended in the foreground is in no list.
func TestListShowsState(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := newGate(t)
	p := h.agent("tester")
	p.bash(params{"command": "echo in the foreground"})
	id := p.bash(params{"command": "read -r x < " + gate.path + "; exit 3", "background": true}).SessionID
	if list := p.process("list", ""); len(list.Jobs) != 1 || list.Jobs[0].Status != "running" || list.Jobs[0].ExitCode != nil || !strings.Contains(list.text, "1 running") {
		t.Errorf("while it runs: %s", list.json)
	}
	gate.open()
	h.ended(id)
	list := p.process("list", "")
	if len(list.Jobs) != 1 || list.Jobs[0].Status != "completed" || list.Jobs[0].ExitCode == nil || *list.Jobs[0].ExitCode != 3 || strings.Contains(list.text, "1 running") {
		t.Errorf("after its end: %s", list.json)
	}
	if !strings.Contains(list.json, `"endedAt":"2`) {
		t.Errorf("no end in %s", list.json)
	}
}

// Every answer about a job that needs input shows that, until its input is closed.
func TestInputHintDisappearsWithInput(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.agent("tester")
	id := p.bash(params{"command": "cat; sleep 1000", "background": true}).SessionID
	h.waiting(id)
	for _, action := range []string{"poll", "log"} {
		r := p.process(action, id)
		for late := time.Now().Add(patience); !r.WaitingForInput && time.Now().Before(late); { // records lag slightly behind the terminal
			r = p.process(action, id)
		}
		if !r.WaitingForInput || !strings.Contains(r.text, "needs input") || !strings.Contains(r.Next, `"write"`) {
			t.Errorf("%s: %s, next %q", action, r.text, r.Next)
		}
	}
	p.process("write", id, "eof", true)
	r := p.process("poll", id)
	for late := time.Now().Add(patience); r.WaitingForInput && time.Now().Before(late); {
		r = p.process("poll", id)
	}
	if r.Status != "running" || r.WaitingForInput || strings.Contains(r.Next, `"write"`) {
		t.Errorf("after its input ended: %s", r.json)
	}
}
