//go:build unix

package mcp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/internal/testtool"
)

// These three tests use the exact calls of the original specification.

func TestYieldThenPoll(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	testtool.WriteScript(t, filepath.Join(bin, "sleep"), "read -r go < \"$GATE\"") // as long as the test needs
	gate := newGate(t)
	p := newHome(t).agent("tester", "PATH="+bin+":"+os.Getenv("PATH"), "GATE="+gate.path)
	r := p.call("bash", rawArgs(t, `{"tool":"bash","command":"sleep 5 && echo done","yieldMs":1000}`))
	if r.Status != "running" || r.SessionID == "" || r.PID == 0 {
		t.Fatalf("after a second: %s", r.json)
	}
	if !strings.HasPrefix(r.SessionID, "sleep-5-") {
		t.Errorf("the id %q does not say what runs", r.SessionID)
	}
	if _, err := os.Stat(r.OutputPath); err != nil {
		t.Error(err)
	}
	if !strings.Contains(r.Next, r.SessionID) || r.DeadlineAt == nil {
		t.Errorf("next is %q, deadline %v", r.Next, r.DeadlineAt)
	}
	poll := p.call("process", rawArgs(t, strings.ReplaceAll(`{"tool":"process","action":"poll","sessionId":"<id>"}`, "<id>", r.SessionID)))
	if poll.Status != "running" || poll.output() != "" {
		t.Errorf("the poll: %s", poll.json)
	}
	gate.open()
	all, last := p.ends(r.SessionID)
	if all != "done\n" || last.Status != "completed" || last.code() != 0 {
		t.Errorf("the end: %q, %s", all, last.json)
	}
	again := p.process("poll", r.SessionID)
	if again.output() != "" || again.Status != "completed" || !again.noticed("no new output") {
		t.Errorf("the poll after the end: %s", again.json)
	}
}

func TestBackgroundAtOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	bin := t.TempDir()
	testtool.WriteScript(t, filepath.Join(bin, "npm"), "echo \"> $*\"\nread -r go < \"$GATE\"\necho built")
	gate := newGate(t)
	p := h.agent("tester", "PATH="+bin+":"+os.Getenv("PATH"), "GATE="+gate.path)
	r := p.call("bash", rawArgs(t, `{"tool":"bash","command":"npm run build","background":true}`))
	if r.Status != "running" || r.Name != "npm run build" || !strings.HasPrefix(r.SessionID, "npm-run-build-") {
		t.Fatalf("the start: %s", r.json)
	}
	jobs := h.jobs()
	if len(jobs) != 1 || string(jobs[0].ID) != r.SessionID || jobs[0].CreatedBy != "tester" || !jobs[0].Backgrounded {
		t.Errorf("the user sees %+v", jobs)
	}
	gate.open()
	all, last := p.ends(r.SessionID)
	if all != "> run build\nbuilt\n" || last.Status != "completed" {
		t.Errorf("the end: %q, %s", all, last.json)
	}
}

func TestWriteLine(t *testing.T) {
	t.Parallel()
	p := newHome(t).agent("tester")
	r := p.bash(params{"command": "printf 'sure? '; read -r a; echo \"you said $a\"", "yieldMs": 10})
	w := p.process("wait", r.SessionID, "until", `sure\?`)
	if w.Met == nil || !*w.Met || w.Match != "sure? " {
		t.Fatalf("the question was not seen: %s", w.json)
	}
	written := p.call("process", rawArgs(t, strings.ReplaceAll(`{"tool":"process","action":"write","sessionId":"<id>","data":"y\n"}`, "<id>", r.SessionID)))
	if written.Error != nil || !strings.Contains(written.text, "2 bytes written") {
		t.Errorf("the write: %s", written.text)
	}
	all, last := p.ends(r.SessionID)
	if all != "sure? you said y\n" || last.code() != 0 {
		t.Errorf("the end: %q, %s", all, last.json)
	}
}

// A client that asks for progress gets messages during a long call, so that it does not give up.
func TestLongCallReportsProgress(t *testing.T) {
	t.Parallel()
	gate := newGate(t)
	p := newHome(t).agent("tester")
	id := p.bash(params{"command": "printf 1234; read -r x < " + gate.path, "background": true}).SessionID
	for tool, args := range map[string]params{
		"bash":    {"command": "printf 1234; read -r x < " + gate.path},
		"process": {"action": "wait", "sessionId": id, "timeout": 600_000},
	} {
		done := make(chan error, 1)
		go func() {
			call := &sdk.CallToolParams{Name: tool, Arguments: args}
			call.SetProgressToken(tool)
			_, err := p.session.CallTool(t.Context(), call)
			done <- err
		}()
		for heard := false; !heard; {
			select {
			case got := <-p.progress:
				if heard = got.ProgressToken == tool; heard && (got.Progress <= 0 || !strings.Contains(got.Message, ", 4 B of output")) {
					t.Errorf("%s: %+v", tool, got)
				}
			case err := <-done:
				t.Fatalf("%s ended: %v", tool, err)
			case <-time.After(patience):
				t.Fatalf("%s: no progress", tool)
			}
		}
		p.process("kill", "@")
		<-done
	}
}
