//go:build unix

package mcp_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
)

// startFor starts a job that belongs to the agent of another one. A call of an agent cannot set all
// that spec can.
func (h *home) startFor(agentOf string, spec engine.Spec) string {
	h.t.Helper()
	e, err := engine.New(engine.WithStateDir(h.state), engine.WithBackend(local.New()))
	if err != nil {
		h.t.Fatal(err)
	}
	defer e.Close()
	j, err := e.Handle(engine.ID(agentOf)).Facts(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	spec.Labels, spec.Backgrounded = j.Labels, true
	if j, err = e.Start(h.t.Context(), spec); err != nil {
		h.t.Fatal(err)
	}
	return string(j.ID)
}

// The job of a canceled task may take its whole grace period to end, here an hour. The client does not
// wait for that.
func TestCancelAnswersBeforeTheJobEnds(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := newGate(t)
	p := h.tasker("tester")
	mine := p.task("bash", params{"command": "sleep 1000", "background": true}).TaskID
	id := h.startFor(mine, engine.Spec{
		// The second request sends the signal again.
		Script: "trap 'trap \"\" TERM; read -r x < " + gate.path + "; exit 3' TERM; echo up; sleep 1000 & wait",
		Grace:  time.Hour,
	})
	h.until(id, func(j engine.Job) bool { return j.Output > 0 })
	for range 2 {
		if _, err := p.taskCall("tasks/cancel", id, nil); err != nil {
			t.Fatalf("cancel: %v", err)
		}
	}
	h.until(id, func(j engine.Job) bool { return j.Status == engine.Stopping })
	if got := p.get(id); got.Status != "working" || !strings.Contains(got.StatusMessage, "being stopped") {
		t.Errorf("while the job ends: %+v", got)
	}
	gate.open()
	p.becomes(id, "cancelled")
}

// A client may disconnect as soon as its request to cancel a task is acknowledged.
func TestCancelOutlastsTheSession(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.tasker("tester")
	id := p.task("bash", params{"command": "sleep 1000", "background": true}).TaskID
	if _, err := p.taskCall("tasks/cancel", id, nil); err != nil {
		t.Fatal(err)
	}
	p.leave()
	h.tasker("tester").becomes(id, "cancelled")
}

// A job that cannot be stopped, here because another machine runs it, is reported by a notice, and its
// task is not canceled.
func TestCancelFails(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.tasker("tester")
	id := p.task("bash", params{"command": "sleep 1000", "background": true}).TaskID
	state := filepath.Join(h.state, "jobs", id, "state.json")
	here, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	there := regexp.MustCompile(`"machine":\s*"[^"]*"`).ReplaceAll(here, []byte(`"machine":"another"`))
	if err := os.WriteFile(state, there, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.WriteFile(state, here, 0o600)
	if _, err := p.taskCall("tasks/cancel", id, nil); err != nil {
		t.Fatalf("cancel: %v", err)
	}
	for late := time.Now().Add(patience); !p.process("list", "").noticed("task " + id + " was not canceled"); {
		if time.Now().After(late) {
			t.Fatal("no notice reports the failure")
		}
		time.Sleep(20 * time.Millisecond) // agents call
	}
	if got := p.get(id); got.Status != "working" {
		t.Errorf("afterwards: %+v", got)
	}
}
