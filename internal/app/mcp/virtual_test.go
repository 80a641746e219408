//go:build unix

package mcp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
)

// program opens the state directory as another program does.
func (h *home) program() *engine.Engine {
	h.t.Helper()
	e, err := engine.New(engine.WithStateDir(h.state), engine.WithClient("indexer"), engine.WithBackend(local.New()))
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		if err := e.Close(); err != nil {
			h.t.Error(err)
		}
	})
	return e
}

func TestVirtualJobIsVisibleToAgentsAndCommandLine(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	e := h.program()
	typed := make(chan string, 10)
	x, err := e.NewExecution(engine.ExecutionSpec{Name: "index the code", Size: engine.Size{Cols: 50, Rows: 6}, Hooks: engine.ExecutionHooks{
		Write: func(_ context.Context, p []byte) error { typed <- string(p); return nil },
		Kill:  func(context.Context) error { return nil },
	}})
	if err != nil {
		t.Fatal(err)
	}
	id := string(x.ID())
	x.Append([]byte("reading main.go\r\n"))
	p := h.agent("tester")
	if list := p.process("list", "", "all", true); len(list.Jobs) != 1 || list.Jobs[0].CreatedBy != "indexer" || list.Jobs[0].Status != "running" {
		t.Errorf("list: %s", list.json)
	}
	if r := p.process("log", id, "all", true); r.output() != "reading main.go\n" {
		t.Errorf("log: %s", r.json)
	}
	if r := p.process("screen", id, "all", true); !strings.HasPrefix(r.output(), "reading main.go") || r.Screen.Cols != 50 {
		t.Errorf("screen: %s", r.json)
	}
	for _, c := range []struct {
		action string
		more   []any
		want   string
	}{
		{"submit", []any{"data", "go on"}, "go on\r"},
		{"send-keys", []any{"keys", []string{"C-c", "Up"}}, "\x03\x1b[A"},
		{"write", []any{"data", "as it is\n"}, "as it is\n"},
		{"paste", []any{"data", "pasted"}, "pasted"},
	} {
		p.process(c.action, id, append(c.more, "all", true)...)
		if got := <-typed; got != c.want {
			t.Errorf("%s types %q, want %q", c.action, got, c.want)
		}
	}
	if h.hob("write --enter " + id + " yes"); <-typed != "yes\r" {
		t.Error("hob write --enter does not press Enter")
	}
	p.refused("process", params{"action": "restart", "sessionId": id, "all": true}, "unsupported", id, "kill")
	// The command line calls the hook through the holder socket.
	h.hob("kill " + id)
	j, err := e.Handle(engine.ID(id)).Facts(t.Context())
	if err != nil || j.Status != engine.Killed || j.Exit.EndedBy != "cli" {
		t.Errorf("after hob kill: %+v, %v", j, err)
	}
	if out := h.hob("log " + id); out != "reading main.go\n" {
		t.Errorf("hob log: %q", out)
	}
	if out := h.hob("screen " + id); !strings.HasPrefix(out, "reading main.go") {
		t.Errorf("hob screen: %q", out)
	}
}

// If a user sends an agent's foreground command to the background, the call returns at once.
func TestUserSendsAgentCommandToBackground(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	arrived, gate := newGate(t), newGate(t)
	p := h.agent("tester")
	answered := make(chan reply, 1)
	go func() {
		r, err := p.try(t.Context(), "bash", params{"command": "echo begun; echo here > " + arrived.path + "; read -r x < " + gate.path + "; echo over", "yieldMs": 120000})
		if err != nil {
			t.Error(err)
		}
		answered <- r
	}()
	arrived.wait()
	e := h.program()
	jobs, err := e.List(t.Context(), engine.Filter{Running: true})
	if err != nil || len(jobs) != 1 || jobs[0].CreatedBy != "tester" || jobs[0].Backgrounded {
		t.Fatalf("the user sees %+v, %v", jobs, err)
	}
	if err := e.Handle(jobs[0].ID).Background(); err != nil {
		t.Fatal(err)
	}
	r := <-answered
	if r.Status != "running" || r.SessionID != string(jobs[0].ID) || r.output() != "begun\n" || !r.noticed("the user sent it to the background") {
		t.Errorf("the answer: %s", r.json)
	}
	gate.open()
	if all, last := p.ends(r.SessionID); all != "begun\nover\n" || last.code() != 0 {
		t.Errorf("the end: %q, %s", all, last.json)
	}
}

func TestTimeoutAppliesInForegroundAndBackground(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.agent("tester", "HOB_TIMEOUT_SEC=1")
	for name, args := range map[string]params{
		"background":       {"background": true},
		"yielded":          {"yieldMs": 10},
		"with a terminal":  {"yieldMs": 10, "pty": true},
		"by its parameter": {"background": true, "timeout": 0.3},
	} {
		t.Run(name, func(t *testing.T) {
			args["command"] = "echo begun; sleep 1000"
			r := p.bash(args)
			if r.Status == "running" { // otherwise the timeout expired before the answer
				if r.DeadlineAt == nil {
					t.Errorf("no deadline: %s", r.json)
				}
				_, r = p.ends(r.SessionID)
			}
			if r.Status != "failed" || !r.TimedOut || r.Reason != "timeout" {
				t.Errorf("the end: %s", r.json)
			}
		})
	}
}
