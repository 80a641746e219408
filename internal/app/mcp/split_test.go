//go:build unix

package mcp_test

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// If both streams are long, each answer has the end of each, and answers with a beginning have
// that of each.
func TestStreamsAreCutSeparately(t *testing.T) {
	t.Parallel()
	const flood = "seq -f 'out %.0f' 1 20000; seq -f 'err %.0f' 1 20000 >&2"
	h := newHome(t)
	p := h.agent("tester", "HOB_MAX_OUTPUT_CHARS=4000")
	foreground := p.bash(params{"command": flood, "split": true})
	id := p.bash(params{"command": flood, "split": true, "background": true}).SessionID
	wait := p.process("wait", id)
	for name, tt := range map[string]struct {
		text  string
		lines []string
	}{
		"foreground": {foreground.output(), []string{"out 1", "out 20000", "[stderr]", "err 1", "err 20000"}},
		"wait":       {*wait.Tail, []string{"out 20000", "[stderr]", "err 20000"}},
		"log":        {p.process("log", id, "limit", 5000).output(), []string{"out 20000", "[stderr]", "err 20000"}},
		"poll":       {p.process("poll", id).output(), []string{"out 1", "out 20000", "[stderr]", "err 1", "err 20000"}},
		"page":       {p.process("log", id, "offset", 0).output(), []string{"out 1", "[stderr]", "err 1"}},
	} {
		last := -1
		for _, line := range tt.lines {
			at := strings.Index("\n"+tt.text+"\n", "\n"+line+"\n")
			if at <= last {
				t.Errorf("%s: the line %q is missing or not where it belongs: %q", name, line, tt.text)
			}
			last = at
		}
	}
	for _, missing := range []string{"of stdout ", "of stderr ", foreground.StdoutPath, foreground.StderrPath} {
		if !foreground.noticed(missing) {
			t.Errorf("no notice has %q: %q", missing, foreground.Notices)
		}
	}
	least := h.agent("another", "HOB_MAX_OUTPUT_CHARS=1000").bash(params{"command": flood, "split": true, "workdir": "/"})
	if n := utf8.RuneCountInString(least.text); n > 1000 || !strings.Contains(least.text, "\nout") || !strings.Contains(least.text, "\n[stderr]\nerr") {
		t.Errorf("with the least bound, %d characters: %s", n, least.text)
	}
	// Room that one stream does not need goes to the other.
	small := p.bash(params{"command": "seq 1 700; echo little >&2", "split": true})
	if !strings.HasPrefix(small.output(), "1\n2\n") || !strings.HasSuffix(small.output(), "\n700\n[stderr]\nlittle\n") || small.SessionID != "" {
		t.Errorf("with one long stream: %s", small.json)
	}
}
