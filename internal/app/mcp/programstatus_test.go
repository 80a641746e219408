//go:build unix

package mcp_test

import (
	"strings"
	"testing"
	"time"
)

// What a program reports is passed on as its words. It never becomes a form, and with a login no question does.
func TestReportsInTasks(t *testing.T) {
	t.Parallel()
	const says = `printf '\033]7501;state=%s\007' `
	for name, tc := range map[string]struct {
		script, until string
		want          string // ID stands for that of the job
	}{
		"at work": {
			says + `working:progress=40:title=VGVzdHM=:msg=cm0gLXIgYnVpbGQ=; exec sleep 600`, "working",
			"its program reports: working, Tests, rm -r build (40 %)",
		},
		"blocked": {
			says + `blocked:kind=permission:msg=cm0gLXIgYnVpbGQ=; exec sleep 600`, "blocked",
			"its program reports: blocked, rm -r build. A person is needed: hob attach ID",
		},
		"a login, and it reads a line": {
			`printf 'Code: '; ` + says + `blocked:kind=auth; read -r x`, "blocked",
			"hidden input",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			p := h.tasker("tester")
			id := p.task("bash", params{"command": tc.script, "pty": true, "background": true}).TaskID
			p.process("wait", id, "until", "status:"+tc.until)
			want := strings.ReplaceAll(tc.want, "ID", id)
			got := p.get(id)
			for late := time.Now().Add(patience); !strings.Contains(got.StatusMessage, want) && time.Now().Before(late); got = p.get(id) {
				if got.Status != "working" {
					break
				}
			}
			if got.Status != "working" || !strings.Contains(got.StatusMessage, want) {
				t.Errorf("the task is %s: %q, want %q", got.Status, got.StatusMessage, want)
			}
		})
	}
}
