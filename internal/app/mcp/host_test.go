//go:build unix

package mcp_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/sshtest"
	"github.com/hobjobs/hob/internal/testtool"
)

// addHost starts an OpenSSH server that agents reach as the host box, with more variables for its
// sessions.
func (h *home) addHost(env ...string) {
	h.t.Helper()
	there := testtool.TempDir(h.t)
	c := sshtest.NewClient(h.t)
	c.AddHost(h.t, "box", sshtest.Sshd(h.t, c, append(env, "HOB_STATE_DIR="+there)))
	// ssh reads the configuration of the account, whatever HOME is.
	program, err := exec.LookPath("ssh")
	if err != nil {
		h.t.Fatal(err)
	}
	bin := h.t.TempDir()
	testtool.WriteScript(h.t, filepath.Join(bin, "ssh"), "exec "+program+" -F "+c.ConfigFile+` "$@"`)
	h.env = append(h.env, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

func TestQuestionOnHostIsForm(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only on Linux does a host report whether a job waits for input")
	}
	testtool.Need(t, "ssh", "sshd", "script", "stty", "setsid")
	h := newHome(t)
	h.addHost()
	p := h.tasker("tester")
	command := `printf 'Name? '; n=$(head -n 1); printf 'Token? '; t=$(head -n 1); stty -echo; printf 'Sesame: '; s=$(head -n 1); stty echo; echo "$n and $t and ${#s}"`
	id := p.task("bash", params{"command": command, "host": "box", "pty": true, "background": true}).TaskID
	for key, q := range p.becomes(id, "input_required").InputRequests {
		if q.Params.Message != "Name?" {
			t.Errorf("the question: %+v", q)
		}
		if _, err := p.taskCall("tasks/update", id, map[string]any{key: map[string]any{"action": "accept", "content": map[string]any{"answer": "Ann"}}}); err != nil {
			t.Fatal(err)
		}
	}
	// Neither a prompt for a secret that is echoed nor hidden input becomes a form.
	for _, prompt := range []string{"Token?", "Sesame:"} {
		for late := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) { // clients poll
			printed := strings.Contains(p.process("log", id).output(), prompt)
			got := p.get(id)
			if got.Status != "working" || time.Now().After(late) {
				t.Fatalf("%s %+v", prompt, got)
			}
			if printed && strings.Contains(got.StatusMessage, "hidden input") {
				break
			}
		}
		p.process("submit", id, "data", "geheim")
	}
	if got := p.becomes(id, "completed"); !strings.Contains(got.reply.output(), "Ann and geheim and 6") {
		t.Errorf("the result: %s", got.reply.json)
	}
}
