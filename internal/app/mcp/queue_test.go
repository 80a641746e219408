//go:build unix

package mcp_test

import (
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
)

// queued starts a job that must be queued for that reason.
func (p *peer) queued(args params, reason string) string {
	p.t.Helper()
	args["background"] = true
	r := p.bash(args)
	if r.Status != "queued" || r.WaitReason != reason || !strings.Contains(r.text, "queued · "+r.SessionID) || !strings.Contains(r.text, reason) {
		p.t.Errorf("the answer: %s\n%s", r.text, r.json)
	}
	for _, field := range []string{"pid", "exitCode", "durationMs", "timedOut", "tail", "deadlineAt", "reason\":"} {
		if strings.Contains(r.json, `"`+field) {
			p.t.Errorf("a queued job has %s: %s", field, r.json)
		}
	}
	return r.SessionID
}

func TestJobsInQueue(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.agent("tester")
	gate := newGate(t)
	first := p.bash(params{"command": "read -r x < " + gate.path + "; echo one", "background": true, "queue": "builds"})
	h.until(first.SessionID, func(j engine.Job) bool { return j.Status == engine.Running })
	second := p.queued(params{"command": "echo two", "queue": "builds", "timeout": 600}, "waiting for a slot")
	third := p.queued(params{"command": "echo three", "queue": "builds"}, "waiting for a slot (1 ahead)")

	list := p.process("list", "")
	if !strings.HasPrefix(list.text, "1 running, 2 queued, 0 finished") {
		t.Errorf("list: %s", list.text)
	}
	for _, j := range list.Jobs {
		if (j.WaitReason != "") != (j.SessionID != first.SessionID) {
			t.Errorf("%s waits: %q", j.SessionID, j.WaitReason)
		}
	}
	for _, action := range []string{"poll", "log"} {
		if r := p.process(action, second); r.Status != "queued" || r.output() != "" || strings.Contains(r.text, "(no output)") {
			t.Errorf("%s: %s", action, r.text)
		}
	}
	// A job that has not begun is silent, but that does not count.
	for _, until := range []string{"quiet:10ms", "exit"} {
		if r := p.process("wait", second, "until", until, "timeout", 300); r.Met == nil || *r.Met || !r.noticed("still queued") {
			t.Errorf("wait until %s: %s", until, r.json)
		}
	}
	p.refused("process", params{"action": "submit", "sessionId": second, "data": "x"}, "not_running", "queued: waiting for a slot")

	gate.open()
	if r := p.process("wait", third, "timeout", 60000); r.Status != "completed" || r.code() != 0 {
		t.Errorf("the last one: %s", r.json)
	}
	if r := p.process("log", second); r.output() != "two\n" || r.Status != "completed" {
		t.Errorf("the second one: %s", r.json)
	}
}

func TestKillOfQueuedJob(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.agent("tester")
	first := p.bash(params{"command": "sleep 1000", "background": true, "queue": "builds"}).SessionID
	h.until(first, func(j engine.Job) bool { return j.Status == engine.Running })
	id := p.queued(params{"command": "echo never", "queue": "builds"}, "waiting for a slot")
	p.refused("process", params{"action": "clear", "sessionId": id}, "running", "it is queued: waiting for a slot")
	r := p.process("kill", id)
	if r.Status != "failed" || r.Message != "killed before it started" || r.ExitCode != nil || r.Reason != "kill" {
		t.Errorf("the answer: %s", r.json)
	}
	p.process("kill", first)
}

func TestJobsAfterOthers(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.agent("tester")
	for _, tt := range []struct {
		name, code, arg, status, text string
		command                       string
	}{
		{"success", "0", "after", "completed", "exited 0", "echo deployed"},
		{"failure", "3", "after", "failed", "was not started", "echo never"},
		{"failure that does not matter", "3", "afterAny", "completed", "exited 0", "echo cleaned"},
		{"another name", "3", "after_any", "completed", "exited 0", "echo cleaned"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			gate := newGate(t)
			dep := p.bash(params{"command": "read -r x < " + gate.path + "; exit " + tt.code, "background": true, "name": "build"}).SessionID
			id := p.queued(params{"command": tt.command, tt.arg: []string{"build"}}, "after "+dep)
			gate.open()
			r := p.process("wait", id, "timeout", 60000)
			if r.Status != tt.status || !strings.Contains(r.text, tt.text) {
				t.Errorf("after the other one: %s\n%s", r.text, r.json)
			}
			if tt.status == "failed" && (r.Reason != "dependency" || !strings.Contains(r.Message, dep) || r.ExitCode != nil) {
				t.Errorf("the reason: %s", r.json)
			}
			p.process("clear", dep)
			again := p.bash(params{"command": "echo again", "after": []string{dep}})
			if want := map[string]string{"0": "completed", "3": "failed"}[tt.code]; again.Status != want {
				t.Errorf("after a cleared one: %s", again.json)
			}
		})
	}
	p.refused("bash", params{"command": "true", "after": []string{"nothing-xxxxx"}}, "not_found", "no job")
	p.refused("bash", params{"command": "true", "queue": "-x"}, "usage", "queue")
	p.refused("bash", params{"command": "true", "queue": "x", "host": "web1.invalid"}, "unreachable", "web1.invalid")
	p.refused("bash", params{"command": "true", "queue": "x", "host": "slurm:web1"}, "usage", "-p PARTITION")
	p.refused("bash", params{"command": "true", "sbatch": "-p long"}, "usage", "slurm:login1")
	p.refused("bash", params{"command": "true", "sbatch": "-p 'long", "host": "slurm:web1"}, "usage", "quote")
}

// A command in the foreground may spend its time in the queue.
func TestForegroundCommandInQueue(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.agent("tester")
	gate := newGate(t)
	first := p.bash(params{"command": "read -r x < " + gate.path, "background": true, "queue": "default"}).SessionID
	h.until(first, func(j engine.Job) bool { return j.Status == engine.Running })
	r := p.bash(params{"command": "echo late", "queue": "default", "yieldMs": 10})
	if r.Status != "queued" || r.WaitReason != "waiting for a slot" || r.noticed("the user") {
		t.Errorf("at its yield: %s", r.json)
	}
	gate.open()
	h.ended(first)
	if r := p.bash(params{"command": "echo done", "queue": "default", "yieldMs": 120000}); r.output() != "done\n" || r.SessionID != "" {
		t.Errorf("with a free slot: %s", r.json)
	}
}

func TestRestartPolicyOfAgent(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.agent("tester")
	p.refused("bash", params{"command": "true", "restart": "sometimes"}, "usage", "on-failure")
	id := p.bash(params{"command": "echo run; exit 3", "restart": "on-failure:1", "background": true}).SessionID
	h.until(id, func(j engine.Job) bool { return j.Status == engine.Queued && j.Runs.Between() || j.Status.Finished() })
	if r := p.process("poll", id); r.Status == "queued" && !strings.HasSuffix(r.WaitReason, "(1 of 1)") {
		t.Errorf("between the runs: %s", r.json)
	}
	if r := p.process("wait", id, "timeout", 60000); r.Status != "completed" || r.code() != 3 {
		t.Errorf("the end: %s", r.json)
	}
}

func TestQueuedTask(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.tasker("tester")
	gate := newGate(t)
	dep := p.task("bash", params{"command": "read -r x < " + gate.path + "; exit 3", "background": true}).TaskID
	failing := p.task("bash", params{"command": "echo never", "background": true, "after": []string{dep}})
	following := p.task("bash", params{"command": "echo next", "background": true, "afterAny": []string{dep}})
	doomed := p.task("bash", params{"command": "echo not at all", "background": true, "after": []string{dep}})
	wait := p.task("process", params{"action": "wait", "sessionId": following.TaskID, "until": "next"})
	for _, created := range []taskReply{failing, following, doomed} {
		if created.Status != "working" || created.StatusMessage != "after "+dep {
			t.Errorf("created: %+v", created)
		}
	}
	if want := "waits until next; the job is queued: after " + dep; wait.StatusMessage != want {
		t.Errorf("the wait: %q, want %q", wait.StatusMessage, want)
	}
	if _, err := p.taskCall("tasks/cancel", doomed.TaskID, nil); err != nil {
		t.Errorf("cancel: %v", err)
	}
	p.becomes(doomed.TaskID, "cancelled")
	gate.open()
	if got := p.becomes(failing.TaskID, "completed"); got.reply.Status != "failed" || got.reply.Reason != "dependency" || !strings.Contains(got.reply.Message, dep) {
		t.Errorf("the result of a job whose dependency failed: %s", got.reply.json)
	}
	if got := p.becomes(following.TaskID, "completed"); got.reply.output() != "next\n" {
		t.Errorf("the result: %s", got.reply.json)
	}
	if got := p.becomes(wait.TaskID, "completed"); got.reply.Met == nil || !*got.reply.Met {
		t.Errorf("the result of the wait: %s", got.reply.json)
	}
}
