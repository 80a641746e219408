//go:build unix

package mcp_test

import (
	"os"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
)

// Binary output is not shown: an answer has its type, size and file instead.
func TestBinaryOutputIsNotShown(t *testing.T) {
	t.Parallel()
	const zip = `printf '\037\213\b\0\0\0\0\0\0\003'; head -c 5000 /dev/urandom`
	const notice = "its output is binary and not shown: application/gzip, 4.9 KiB, in "
	p := newHome(t).agent("tester")
	shows := func(what string, r reply, text string) {
		t.Helper()
		if r.Output == nil && r.Tail == nil || strings.Contains(r.text, "\uFFFD") || strings.Contains(r.text, "no output") {
			t.Errorf("%s: %s", what, r.text)
		}
		for _, shown := range []*string{r.Output, r.Tail} {
			if shown != nil && *shown != text {
				t.Errorf("%s: it shows %q", what, *shown)
			}
		}
	}
	foreground := p.bash(params{"command": zip})
	shows("foreground", foreground, "")
	if !foreground.noticed(notice + foreground.OutputPath) {
		t.Errorf("foreground: %q", foreground.Notices)
	}
	if info, err := os.Stat(foreground.OutputPath); err != nil || info.Size() != 5010 {
		t.Errorf("its file: %v, %v", info, err)
	}
	id := p.bash(params{"command": zip, "background": true}).SessionID
	wait := p.process("wait", id)
	for name, r := range map[string]reply{
		"wait": wait, "log": p.process("log", id), "page": p.process("log", id, "offset", 0), "poll": p.process("poll", id),
	} {
		shows(name, r, "")
		if !r.noticed(notice) {
			t.Errorf("%s: %q", name, r.Notices)
		}
	}
	split := p.bash(params{"command": "echo warning >&2; head -c 1000 /dev/zero", "split": true})
	shows("split", split, "[stderr]\nwarning\n")
	if !split.noticed("its stdout is binary and not shown: application/octet-stream, 1000 B, in " + split.StdoutPath) {
		t.Errorf("split: %q", split.Notices)
	}
}

// A task whose job prints binary output counts its bytes, and the result has the notice.
func TestBinaryOutputOfTask(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := newGate(t)
	p := h.tasker("tester")
	id := p.task("bash", params{"command": "head -c 3000 /dev/zero; read -r x < " + gate.path + "; head -c 2000 /dev/zero", "background": true}).TaskID
	h.until(id, func(j engine.Job) bool { return j.Output == 3000 })
	if got := p.get(id); !strings.HasPrefix(got.StatusMessage, "2.9 KiB of output, binary") {
		t.Errorf("while it runs: %+v", got)
	}
	wait := p.task("process", params{"action": "wait", "sessionId": id, "until": "never"}).TaskID
	gate.open()
	const notice = "its output is binary and not shown: application/octet-stream, 4.9 KiB, in "
	for _, task := range []string{id, wait} {
		if got := p.becomes(task, "completed"); !got.reply.noticed(notice) || got.reply.output() != "" {
			t.Errorf("the result of %s: %s", task, got.reply.json)
		}
	}
}
