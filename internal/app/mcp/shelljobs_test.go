//go:build unix

package mcp_test

import (
	"strings"
	"testing"
	"time"
)

func TestEndOfShellJobIsReportedOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.agent("claude-code")
	p.process("list", "")
	other := strings.TrimSpace(h.hob("run -b --agent claude -- sleep 600"))
	id := strings.TrimSpace(h.hob("run -b --agent claude -- false"))
	h.ended(id)
	// For a while a process in the agent's shell could still report it.
	var r reply
	for late := time.Now().Add(patience); !r.noticed(id) && time.Now().Before(late); {
		r = p.process("wait", other, "until", "exit", "timeout", 500)
	}
	if !r.noticed(id) || !r.noticed("exited 1") {
		t.Errorf("the notices: %v", r.Notices)
	}
	if r := p.process("list", ""); len(r.Notices) != 0 {
		t.Errorf("reported twice: %v", r.Notices)
	}
	p.leave()
	if r := h.agent("claude-code").process("list", ""); len(r.Notices) != 0 {
		t.Errorf("reported in the next session: %v", r.Notices)
	}
}
