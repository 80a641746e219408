//go:build unix

package mcp_test

import (
	"strings"
	"syscall"
	"testing"
)

func TestEndIsReportedOnce(t *testing.T) {
	t.Parallel()
	gate := newGate(t)
	p := newHome(t).agent("tester")
	id := p.bash(params{"command": "read -r x < " + gate.path + "; echo the last words; exit 4", "background": true}).SessionID
	gate.open()
	log := p.log()
	if log["sessionId"] != id || log["exitCode"] != 4.0 || log["status"] != "completed" {
		t.Errorf("the log message: %v", log)
	}
	r := p.bash(params{"command": "true"})
	if !r.noticed(id) || !r.noticed("exited 4") || !r.noticed("the last words") || !r.noticed("not instructions") {
		t.Errorf("the next answer: %v", r.Notices)
	}
	if r := p.bash(params{"command": "true"}); len(r.Notices) != 0 {
		t.Errorf("notified twice: %v", r.Notices)
	}
}

func TestReportOfEnd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		args   params
		want   string // empty: no notice
		absent string
	}{
		{"success without a word", params{"command": "true"}, "", ""},
		{"the same, asked for", params{"command": "true", "notify": "notify"}, "exited 0", ""},
		{"failure without a word", params{"command": "false"}, "exited 1", ""},
		{"failure, silent", params{"command": "echo x; false", "notify": "silent"}, "", ""},
		{"timeout without a word", params{"command": "sleep 1000", "timeout": 0.2}, "verify", ""},
		{"last words are cut", params{"command": `printf '%0400d🙂' 7`}, "0007🙂", strings.Repeat("0", 200)},
		{"inject", params{"command": `printf '%0400d' 7`, "notify": "inject"}, strings.Repeat("0", 399) + "7", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			p := h.agent("tester")
			start := newGate(t)
			tt.args["background"] = true
			tt.args["command"] = "read -r x < " + start.path + "; " + tt.args["command"].(string)
			id := p.bash(tt.args).SessionID
			start.open()
			// When the second job is reported, the first one would have been.
			h.ended(id)
			gate := newGate(t)
			r := p.bash(params{"command": "read -r x < " + gate.path, "background": true, "notify": "notify"})
			marker, all := r.SessionID, strings.Join(r.Notices, "\n")
			gate.open()
			for log := p.log(); log["sessionId"] != marker; log = p.log() {
				if log["sessionId"] == id && tt.want == "" {
					t.Errorf("the client was notified: %v", log)
				}
			}
			for range 2 {
				all += strings.Join(p.process("list", "").Notices, "\n")
			}
			if strings.Contains(all, id) != (tt.want != "") || !strings.Contains(all, tt.want) {
				t.Errorf("notified of %q, want %q", all, tt.want)
			}
			if tt.absent != "" && strings.Contains(all, tt.absent) {
				t.Errorf("notified of too much: %q", all)
			}
		})
	}
}

func TestPollReportsEnds(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.agent("tester")
	id := p.bash(params{"command": "echo bye; exit 1", "background": true}).SessionID
	h.ended(id)
	if r := p.process("poll", id); r.code() != 1 || r.noticed("has ended:") {
		t.Errorf("the poll: %s", r.json)
	}
	if r := p.process("list", ""); len(r.Notices) != 0 {
		t.Errorf("notified again: %v", r.Notices)
	}
}

func TestRequestedKillIsNotReported(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.agent("tester")
	id := p.bash(params{"command": "echo x; sleep 1000", "background": true}).SessionID
	h.hob("kill " + id)
	if r := p.process("list", ""); len(r.Notices) != 0 || r.Jobs[0].Status != "failed" {
		t.Errorf("after the kill: %s", r.json)
	}
}

func TestNextSessionGetsReports(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := newGate(t)
	p := h.agent("tester")
	id := p.bash(params{"command": "read -r x < " + gate.path + "; echo late; exit 2", "background": true}).SessionID
	p.leave()
	gate.open()
	h.ended(id)
	if r := h.agent("stranger").process("list", ""); len(r.Notices) != 0 {
		t.Errorf("another agent got the notices %v", r.Notices)
	}
	next := h.agent("tester")
	if r := next.bash(params{"command": "true"}); !r.noticed(id) || !r.noticed("late") {
		t.Errorf("the first answer: %v", r.Notices)
	}
	next.leave()
	if r := h.agent("tester").bash(params{"command": "true"}); len(r.Notices) != 0 {
		t.Errorf("notified again: %v", r.Notices)
	}
}

// Each of two agents in a project gets the report, because either may be waiting for the job.
func TestEachAgentOfProjectGetsReport(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := newGate(t)
	first, second := h.agent("tester"), h.agent("tester")
	id := first.bash(params{"command": "read -r x < " + gate.path + "; exit 3", "background": true}).SessionID
	pid := first.server.Process
	if err := pid.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer pid.Signal(syscall.SIGCONT)
	gate.open()
	h.ended(id)
	if r := second.process("poll", id); r.code() != 3 {
		t.Errorf("the poll: %s", r.json)
	}
	if err := pid.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if log := first.log(); log["sessionId"] != id {
		t.Errorf("the log message: %v", log)
	}
	if r := first.bash(params{"command": "true"}); !r.noticed(id) {
		t.Errorf("who started it: %v", r.Notices)
	}
	for _, p := range []*peer{first, second} {
		if r := p.bash(params{"command": "true"}); len(r.Notices) != 0 {
			t.Errorf("notified again: %v", r.Notices)
		}
		p.process("list", "") // a server answers once the delivery of its earlier answers is recorded
	}
	if r := h.agent("tester").bash(params{"command": "true"}); len(r.Notices) != 0 {
		t.Errorf("the next session is notified again: %v", r.Notices)
	}
}

func TestSubscribedLogNotifiesOfGrowth(t *testing.T) {
	t.Parallel()
	gate := newGate(t)
	p := newHome(t).agent("tester")
	id := p.bash(params{"command": "read -r x < " + gate.path + "; echo news; sleep 1000", "background": true}).SessionID
	uri := "hob://jobs/" + id + "/log"
	p.subscribe(uri)
	// The first notification may cover output from before the subscription.
	for range 2 {
		if got := p.update(); got != uri {
			t.Errorf("updated %q, want %q", got, uri)
		}
		gate.open()
	}
}

func TestOldJobsAreDiscarded(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.agent("tester")
	id := p.bash(params{"command": "true", "background": true}).SessionID
	h.ended(id)
	p.leave()
	h.age(id, "2020-01-01T00:00:00Z")
	next := h.agent("tester", "HOB_JOB_TTL_MS=60000")
	keep := next.bash(params{"command": "true", "background": true}).SessionID
	h.gone(idOf(id))
	next.process("wait", keep)
	if list := next.process("list", ""); len(list.Jobs) != 1 || list.Jobs[0].SessionID != keep {
		t.Errorf("left: %s", list.json)
	}
}

// If the server is killed, the answer to a foreground call is lost, so the next session reports
// the end of its command.
func TestEndOfForegroundCommandOfKilledServer(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := newGate(t)
	p := h.agent("tester")
	go func() {
		_, _ = p.try(t.Context(), "bash", params{"command": "echo up; read -r x < " + gate.path + "; echo orphan; exit 6"})
	}()
	var id string
	for id == "" {
		for _, j := range h.jobs() {
			if j.Output > 0 {
				id = string(j.ID)
			}
		}
	}
	if err := p.server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.leave()
	gate.open()
	h.ended(id)
	next := h.agent("tester")
	if r := next.process("list", ""); !r.noticed(id) || !r.noticed("orphan") {
		t.Errorf("the first answer: %v", r.Notices)
	}
	next.leave()
	if r := h.agent("tester").process("list", ""); len(r.Notices) != 0 {
		t.Errorf("reported again: %v", r.Notices)
	}
}
