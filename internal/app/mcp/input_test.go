//go:build unix

package mcp_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
)

// Answers about input and kills say nothing about output, in particular not that there was none.
func TestAnswersAboutActionsHaveNoOutput(t *testing.T) {
	t.Parallel()
	p := newHome(t).agent("tester")
	id := p.bash(params{"command": "echo printed; cat", "background": true}).SessionID
	p.process("wait", id, "until", "printed")
	for _, r := range []reply{
		p.process("write", id, "data", "x\n"), p.process("submit", id, "data", "y"), p.process("write", id, "eof", true),
		p.process("kill", p.bash(params{"command": "echo z; sleep 1000", "background": true}).SessionID), p.process("remove", id),
	} {
		if r.Output != nil || r.Tail != nil || strings.Contains(r.text, "no output") {
			t.Errorf("%s: %s", r.text, r.json)
		}
	}
}

func TestCursorMatchesTail(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.agent("tester")
	first := p.bash(params{"command": "printf 'a\xc3\xa9b'; sleep 1000", "yieldMs": 500})
	if first.Cursor == nil || first.Tail == nil || *first.Cursor != int64(len(*first.Tail)) {
		t.Errorf("yielded: %s", first.json)
	}
	h.until(first.SessionID, func(j engine.Job) bool { return j.Output == 4 })
	if r := p.process("poll", first.SessionID); *r.Cursor != 4 || r.output() != "aéb" {
		t.Errorf("poll: %s", r.json)
	}
}

// Counts of 1 use the singular.
func TestInputIsCounted(t *testing.T) {
	t.Parallel()
	p := newHome(t).agent("tester")
	id := p.bash(params{"command": "cat", "pty": true, "background": true}).SessionID
	for want, r := range map[string]reply{
		"\n1 key sent":             p.process("send-keys", id, "keys", []string{"a"}),
		"\n2 keys sent":            p.process("send-keys", id, "keys", []string{"a", "Enter"}),
		"\n1 byte pasted":          p.process("paste", id, "data", "b"),
		"\n1 byte and Enter typed": p.process("submit", id, "data", "b"),
		"\n1 byte written":         p.process("write", id, "data", "b"),
	} {
		if !strings.Contains(r.text, want) {
			t.Errorf("want %q in %s", want, r.text)
		}
	}
	p.process("kill", id)
}

// Impossible combinations are refused, not ignored.
func TestTerminalRequiresInput(t *testing.T) {
	t.Parallel()
	p := newHome(t).agent("tester")
	for _, other := range []params{{"stdin": "none"}, {"split": true}} {
		other["command"], other["pty"] = "cat", true
		if r := p.call("bash", other); r.Error == nil || !strings.Contains(r.text, "cannot be combined with") {
			t.Errorf("%v: %s", other, r.text)
		}
	}
}

func TestTooLongLineIsReported(t *testing.T) {
	t.Parallel()
	p := newHome(t).agent("tester")
	id := p.bash(params{"command": "while read -r x; do echo ${#x}; done", "background": true}).SessionID
	long := strings.Repeat("x", 5000)
	if r := p.process("write", id, "data", strings.Repeat(strings.Repeat("x", 99)+"\n", 100)); r.noticed("at most") {
		t.Errorf("short lines: %v", r.Notices)
	}
	if r := p.process("write", id, "data", "short\n"+long+"\n", "eof", true); !r.noticed("5001 bytes") {
		t.Errorf("a long line: %v", r.Notices)
	}
	if all, _ := p.ends(id); strings.Contains(all, "5000") || strings.Count(all, "99\n") != 100 {
		t.Errorf("the job sees %q", all)
	}
}

func TestInputHasEnded(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.agent("tester")
	id := p.bash(params{"command": "cat; cat; echo over; sleep 1000", "background": true}).SessionID
	if r := p.process("write", id, "eof", true); r.Message != "input ended" {
		t.Errorf("%s", r.json)
	}
	p.refused("process", params{"action": "write", "sessionId": id, "data": "x\n"}, "no_input", id, "ended", "wait")
	// The second cat gets the end of input too.
	if r := p.process("wait", id, "until", "over", "timeout", 60000); !*r.Met || r.WaitingForInput {
		t.Errorf("%s", r.json)
	}
}

func TestInputEnds(t *testing.T) {
	t.Parallel()
	p := newHome(t).agent("tester")
	id := p.bash(params{"command": "cat; echo over", "background": true}).SessionID
	if r := p.process("write", id, "data", "é\n"); !strings.Contains(r.text, "3 bytes") {
		t.Errorf("the write: %s", r.text)
	}
	p.process("write", id, "eof", true)
	all, _ := p.ends(id)
	if all != "é\nover\n" {
		t.Errorf("%q", all)
	}
	p.refused("process", params{"action": "write", "sessionId": id, "data": "x"}, "not_running", id, "restart")
	none := p.bash(params{"command": "sleep 1000", "stdin": "none", "background": true}).SessionID
	for _, args := range []params{{"action": "write", "data": "x"}, {"action": "submit"}, {"action": "send-keys", "keys": []string{"C-c"}}, {"action": "paste", "data": "x"}} {
		args["sessionId"] = none
		p.refused("process", args, "no_input", none, "stdin")
	}
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	p := newHome(t).agent("tester")
	id := p.bash(params{"command": "printf 'name? '; read -r n; printf '\\033[2Jhello %s' \"$n\"; exec sleep 1000", "pty": true, "background": true}).SessionID
	p.process("wait", id, "until", "name")
	p.process("send-keys", id, "keys", []string{"h", "i", "Enter"})
	p.process("wait", id, "until", "hello hi")
	r := p.process("screen", id)
	if !strings.Contains(r.output(), "hello hi") || strings.Contains(r.output(), "name?") {
		t.Errorf("the screen: %q", r.output())
	}
	if r.Screen == nil || r.Screen.Cols != 120 || r.Screen.Rows != 40 {
		t.Errorf("its size: %s", r.json)
	}
	p.process("send-keys", id, "keys", "C-c")
	if _, last := p.ends(id); last.ExitSignal != "SIGINT" && last.code() != 130 {
		t.Errorf("the end: %s", last.json)
	}
	file := p.bash(params{"command": "sleep 1000", "background": true}).SessionID
	p.refused("process", params{"action": "screen", "sessionId": file}, "unsupported", file, "log")
}

func TestWaitingForInputIsShown(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.agent("tester")
	id := p.bash(params{"command": "read -r x", "background": true}).SessionID
	h.waiting(id)
	poll := p.process("poll", id)
	// Records lag slightly behind the terminal.
	for late := time.Now().Add(patience); !poll.WaitingForInput && time.Now().Before(late); {
		poll = p.process("poll", id, "timeout", 100)
	}
	list := p.process("list", "")
	if !list.Jobs[0].WaitingForInput || !poll.WaitingForInput || !strings.Contains(poll.Next, `"write"`) || !strings.Contains(poll.text, "needs input") {
		t.Errorf("list %s, poll %s", list.json, poll.text)
	}
	// The new input may be what the job was waiting for.
	if r := p.process("write", id, "data", "x\n"); r.WaitingForInput || strings.Contains(r.Next, `"write"`) {
		t.Errorf("the answer to what it waited for: %s, next %s", r.text, r.Next)
	}
}
