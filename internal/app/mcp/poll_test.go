//go:build unix

package mcp_test

import (
	"context"
	"fmt"
	"testing"
)

// A canceled poll consumes no output.
func TestCanceledPollConsumesNothing(t *testing.T) {
	t.Parallel()
	p := newHome(t).agent("tester")
	gate := newGate(t)
	id := p.bash(params{"command": "read -r x < " + gate.path + "; echo done; exit 3", "background": true}).SessionID
	ctx, cancel := context.WithCancel(t.Context())
	early := make(chan error, 1)
	go func() {
		_, err := p.try(ctx, "process", params{"action": "poll", "sessionId": id, "timeout": 30000})
		early <- err
	}()
	cancel()
	if err := <-early; err == nil {
		t.Error("a cancelled poll has an answer")
	}
	p.cancelled()
	gate.open()
	if all, last := p.ends(id); all != "done\n" || last.code() != 3 {
		t.Errorf("%q, %s", all, last.json)
	}
}

func TestPollPositionPerClient(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := newGate(t)
	p := h.agent("tester")
	id := p.bash(params{"command": "echo one; read -r x < " + gate.path + "; printf two", "background": true}).SessionID
	p.process("wait", id, "until", "one")
	h.hob("poll " + id) // a poll by the user does not affect the agent's
	if r := p.process("poll", id); r.output() != "one\n" || *r.Cursor != 4 {
		t.Errorf("the first poll: %s", r.json)
	}
	if r := p.process("poll", id); r.output() != "" || !r.noticed("nothing new; poll again in 5.0 s") {
		t.Errorf("the second: %s", r.json)
	}
	if r := p.process("poll", id); !r.noticed("10.0 s") {
		t.Errorf("the third: %s", r.json)
	}
	gate.open()
	if all, last := p.ends(id); all != "two" || last.code() != 0 {
		t.Errorf("the end: %q %s", all, last.json)
	}
}

func TestPollTimeouts(t *testing.T) {
	t.Parallel()
	p := newHome(t).agent("tester")
	id := p.bash(params{"command": "sleep 1000", "background": true}).SessionID
	for _, args := range []params{{"timeoutMs": 10}, {"timeout": "10"}, {"timeout_ms": 10.0}, {"timeout": 0}} {
		args["action"], args["sessionId"] = "poll", id
		if r := p.call("process", args); r.Error != nil || r.Status != "running" {
			t.Errorf("%v: %s", args, r.json)
		}
	}
	p.refused("process", params{"action": "poll", "sessionId": id, "timeoutSec": 5}, "usage", "timeoutSec", `"timeout":5000`)
	p.refused("bash", params{"command": "true", "timeoutMs": 5}, "usage", "timeoutMs", "seconds")
}

func TestLoopIsNoticed(t *testing.T) {
	t.Parallel()
	gate := newGate(t)
	p := newHome(t).agent("tester")
	id := p.bash(params{"command": "read -r x < " + gate.path + "; echo news; sleep 1000", "background": true}).SessionID
	for i := range 20 {
		if r := p.process("poll", id); r.noticed("same answer") != (i == 19) {
			t.Fatalf("poll %d: %v", i+1, r.Notices)
		}
	}
	gate.open()
	if r := p.process("poll", id, "timeout", 30000); r.output() != "news\n" || r.noticed("same answer") {
		t.Errorf("with news: %s", r.json)
	}
}

func TestPollFilters(t *testing.T) {
	t.Parallel()
	gate := newGate(t)
	p := newHome(t).agent("tester")
	id := p.bash(params{"command": "echo noise; read -r x < " + gate.path + "; echo noise; echo signal; sleep 1000", "background": true}).SessionID
	p.process("wait", id, "until", "noise")
	gate.open()
	// Excluded lines do not end the wait.
	if r := p.process("poll", id, "exclude", "noise", "timeout", 30000); r.output() != "signal\n" {
		t.Errorf("%q", r.output())
	}
	p.refused("process", params{"action": "poll", "sessionId": id, "filter": "("}, "usage", "filter")
}

// A line is filtered as a whole, even if it arrives during several polls.
func TestPollFiltersWholeLines(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		filter []any
		want   string
	}{
		"kept":     {[]any{"filter", "ERROR"}, "ERROR one\nlast ERROR"},
		"excluded": {[]any{"exclude", "ERROR"}, "fine\n"},
	} {
		for _, split := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, split %v", name, split), func(t *testing.T) {
				gates := []*gate{newGate(t), newGate(t), newGate(t)}
				p := newHome(t).agent("tester")
				id := p.bash(params{"command": fmt.Sprintf(
					"printf ERR; read -r x < %s; printf 'OR one\\nfine\\nlast'; read -r x < %s; printf ' ERROR'; read -r x < %s",
					gates[0].path, gates[1].path, gates[2].path), "background": true, "split": split}).SessionID
				got := ""
				for i, printed := range []string{"ERR", "last", "last ERROR"} {
					p.process("wait", id, "until", printed+"$")
					r := p.process("poll", id, append([]any{"timeout", 10}, tt.filter...)...)
					if got += r.output(); !r.noticed(fmt.Sprintf("%d bytes so far and no end", len(printed))) {
						t.Errorf("the poll after %q: %s", printed, r.json)
					}
					gates[i].open()
				}
				for r := (reply{Status: "running"}); r.Status == "running"; {
					r = p.process("poll", id, append([]any{"timeout", 30000}, tt.filter...)...)
					got += r.output()
				}
				if got != tt.want {
					t.Errorf("got %q, want %q", got, tt.want)
				}
			})
		}
	}
}

// An incomplete line of one stream is not joined with later output of the other.
func TestPollFiltersLinesOfEachStream(t *testing.T) {
	t.Parallel()
	gate := newGate(t)
	p := newHome(t).agent("tester")
	id := p.bash(params{"command": "printf ERR; echo warning ERROR >&2; read -r x < " + gate.path + "; echo OR one", "background": true, "split": true}).SessionID
	p.process("wait", id, "until", "warning ERROR$")
	p.process("wait", id, "until", "ERR$")
	gate.open()
	p.process("wait", id)
	if r := p.process("poll", id, "filter", "^(ERROR|warning)"); r.output() != "ERROR one\n[stderr]\nwarning ERROR\n" {
		t.Errorf("%s", r.json)
	}
}

// A poll without a filter returns the incomplete line that a poll with one has left.
func TestPollWithoutFilterReturnsIncompleteLine(t *testing.T) {
	t.Parallel()
	gate := newGate(t)
	p := newHome(t).agent("tester")
	id := p.bash(params{"command": "printf 'Password: '; read -r x < " + gate.path + "; echo done", "background": true}).SessionID
	p.process("wait", id, "until", "Password")
	if r := p.process("poll", id, "filter", "Password"); r.output() != "" || *r.Cursor != 0 {
		t.Errorf("with a filter: %s", r.json)
	}
	if r := p.process("poll", id); r.output() != "Password: " {
		t.Errorf("without: %s", r.json)
	}
	gate.open()
	if all, _ := p.ends(id); all != "done\n" {
		t.Errorf("then: %q", all)
	}
}
