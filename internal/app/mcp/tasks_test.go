//go:build unix

package mcp_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
)

func TestBackgroundCommandIsTask(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := newGate(t)
	p := h.tasker("tester")
	created := p.task("bash", params{"command": "echo begun; read -r x < " + gate.path + "; echo over; exit 3", "background": true})
	if created.Status != "working" || created.TTLMs == nil || *created.TTLMs < (6*24*time.Hour).Milliseconds() || created.PollIntervalMs != 1000 || created.CreatedAt.IsZero() {
		t.Errorf("created: %+v", created)
	}
	id := created.TaskID
	h.until(id, func(j engine.Job) bool { return j.Output > 0 }) // the id is the job's
	if got := p.get(id); got.Status != "working" || got.StatusMessage != "begun" {
		t.Errorf("while it runs: %+v", got)
	}
	if r := p.process("log", id); r.output() != "begun\n" {
		t.Errorf("process with the id of a task: %s", r.json)
	}
	gate.open()
	got := p.becomes(id, "completed")
	if r := got.reply; r.Status != "completed" || r.code() != 3 || r.output() != "begun\nover\n" || r.SessionID != id {
		t.Errorf("the result: %s", r.json)
	}
	if again := p.get(id); again.Status != "completed" || again.reply.output() != "begun\nover\n" {
		t.Errorf("asked again: %+v", again)
	}
	if r := p.process("list", ""); len(r.Notices) != 0 {
		t.Errorf("also reported by a notice: %v", r.Notices)
	}
}

func TestCommandBecomesTaskAtItsYield(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := newGate(t)
	p := h.tasker("tester")
	if r := p.bash(params{"command": "echo quick"}); r.output() != "quick\n" || r.SessionID != "" {
		t.Errorf("a quick command: %s", r.json)
	}
	id := p.task("bash", params{"command": "read -r x < " + gate.path + "; echo late", "yieldMs": 10}).TaskID
	gate.open()
	if got := p.becomes(id, "completed"); got.reply.output() != "late\n" || got.reply.code() != 0 {
		t.Errorf("the result: %s", got.reply.json)
	}
}

func TestTaskOfEarlierSession(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := newGate(t)
	p := h.tasker("tester")
	id := p.task("bash", params{"command": "read -r x < " + gate.path + "; echo survived", "background": true}).TaskID
	if err := p.server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.leave()
	next := h.tasker("tester")
	if got := next.get(id); got.Status != "working" {
		t.Errorf("in the next session: %+v", got)
	}
	gate.open()
	if got := next.becomes(id, "completed"); got.reply.output() != "survived\n" {
		t.Errorf("the result: %s", got.reply.json)
	}
	h.tasker("stranger").refusedTask("tasks/get", id, nil, -32602)
	h.agentOf(firstWithTasks, t.TempDir(), "tester").refusedTask("tasks/get", id, nil, -32602)
}

func TestCanceledTask(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.tasker("tester")
	byClient := p.task("bash", params{"command": "sleep 1000", "background": true}).TaskID
	byUser := p.task("bash", params{"command": "sleep 1001", "background": true}).TaskID
	byTimeout := p.task("bash", params{"command": "sleep 1002", "background": true, "timeout": 0.2}).TaskID
	for range 2 { // the second one changes nothing
		if _, err := p.taskCall("tasks/cancel", byClient, nil); err != nil {
			t.Errorf("cancel: %v", err)
		}
	}
	h.hob("kill " + byUser)
	p.becomes(byClient, "cancelled")
	p.becomes(byUser, "cancelled")
	if got := p.becomes(byTimeout, "completed"); !got.reply.TimedOut || got.reply.Status != "failed" {
		t.Errorf("after its timeout: %s", got.reply.json)
	}
	if _, err := p.taskCall("tasks/cancel", byTimeout, nil); err != nil {
		t.Errorf("cancel after the end: %v", err)
	}
	h.hob("clear " + byTimeout)
	if got := p.get(byTimeout); got.Status != "completed" || !got.reply.noticed("cleared") {
		t.Errorf("after it was cleared: %+v", got)
	}
}

func TestInvalidTaskRequests(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.tasker("tester")
	id := p.task("bash", params{"command": "sleep 1000", "background": true}).TaskID
	for _, unknown := range []string{"", "nothing-xxxxx", id[:len(id)-1], "@", "../" + id, id + ":aaaaaaaa", strings.Repeat("x", 5000)} {
		for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
			p.refusedTask(method, unknown, map[string]any{}, -32602)
		}
	}
	p.refusedTask("tasks/update", id, nil, -32602)
	if _, err := p.taskCall("tasks/update", id, map[string]any{"input-1": map[string]any{"action": "accept"}}); err != nil {
		t.Errorf("an answer to no question: %v", err)
	}
	older := h.agent("tester")
	older.refusedTask("tasks/get", id, nil, -32021)
	older.refusedTask("tasks/cancel", id, nil, -32021)
	if r := older.bash(params{"command": "sleep 1000", "background": true}); r.Status != "running" || r.SessionID == "" {
		t.Errorf("a client without tasks: %s", r.json)
	}
	if got := p.get(id); got.Status != "working" {
		t.Errorf("after all that: %+v", got)
	}
}

// A request with values of the wrong types gets an error that names the parameter and does not repeat
// the request, which may be long.
func TestMalformedTaskRequests(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.tasker("tester")
	id := p.task("bash", params{"command": "sleep 1000", "background": true}).TaskID
	long := map[string]any{"input-1": strings.Repeat("x", 5000)}
	for _, malformed := range []any{nil, 5, -1.5, true, []string{id}, map[string]any{"taskId": id}} {
		for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
			p.refusedTask(method, malformed, long, -32602)
		}
	}
	for _, malformed := range []any{"yes", 5, false, []any{long}} {
		p.refusedTask("tasks/update", id, malformed, -32602)
	}
	if got := p.get(id); got.Status != "working" {
		t.Errorf("after all that: %+v", got)
	}
}

// A wait that could not be recorded is refused, and costs no time.
func TestExcessiveWait(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.tasker("tester")
	id := p.task("bash", params{"command": "sleep 1000", "background": true}).TaskID
	many := slices.Repeat([]string{id}, 101)
	p.refused("process", params{"action": "wait", "sessionIds": many, "until": "never"}, "usage", "101", "at most 100")
	p.refused("process", params{"action": "wait", "sessionId": id, "until": strings.Repeat("x", 4001)}, "usage", "at most 4000")
	p.refused("bash", params{"command": "true", "after": many}, "usage", "at most 100")
	longest := p.task("process", params{"action": "wait", "sessionIds": many[:100], "until": strings.Repeat("<", 4000)}).TaskID
	if got := p.get(longest); got.Status != "working" {
		t.Errorf("the longest wait: %+v", got)
	}
	if r := p.call("process", params{"action": "poll", "sessionId": strings.Repeat("x", 100_000)}); r.Error == nil || len(r.json) > 5000 {
		t.Errorf("an error of %d bytes: %.100s", len(r.json), r.json)
	}
}

// A client that never fetches what it started costs nothing else.
func TestThousandTasks(t *testing.T) {
	t.Parallel()
	many := 1000
	if testing.Short() {
		many = 100
	}
	h := newHome(t)
	p := h.tasker("tester")
	id := p.task("bash", params{"command": "echo up; sleep 1000", "background": true}).TaskID
	h.until(id, func(j engine.Job) bool { return j.Output > 0 })
	var calls sync.WaitGroup
	for n := range many {
		calls.Go(func() {
			// Not p.call: the last of so many calls may take longer than any other wait.
			_, err := p.try(t.Context(), "process", params{"action": "wait", "sessionId": id, "until": fmt.Sprintf("never %d", n)})
			if err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	ids := map[string]bool{}
	for range many {
		ids[(<-p.created).TaskID] = true
	}
	if len(ids) != many {
		t.Errorf("%d tasks", len(ids))
	}
	if _, err := p.taskCall("tasks/cancel", id, nil); err != nil {
		t.Fatal(err)
	}
	p.becomes(id, "cancelled")
	for wait := range ids {
		if got := p.becomes(wait, "completed"); got.reply.Met == nil || *got.reply.Met || !got.reply.noticed("ended before") {
			t.Fatalf("%s: %s", wait, got.reply.json)
		}
	}
}

func TestWaitIsTask(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := newGate(t)
	p := h.tasker("tester")
	id := p.task("bash", params{"command": "echo first; read -r x < " + gate.path + "; echo ready at last; sleep 1000", "background": true}).TaskID
	h.until(id, func(j engine.Job) bool { return j.Output > 0 })
	created := p.task("process", params{"action": "wait", "sessionId": id, "until": "^ready"})
	if created.Status != "working" || created.TaskID == id {
		t.Errorf("created: %+v", created)
	}
	canceled := p.task("process", params{"action": "wait", "sessionId": id, "until": "never"}).TaskID
	over := p.task("process", params{"action": "wait", "sessionId": id, "until": "never", "timeout": 300}).TaskID
	if got := p.becomes(over, "completed"); got.reply.Met == nil || *got.reply.Met || !got.reply.noticed("not yet") {
		t.Errorf("after its time: %s", got.reply.json)
	}
	if _, err := p.taskCall("tasks/cancel", canceled, nil); err != nil {
		t.Fatal(err)
	}
	p.becomes(canceled, "cancelled")
	// The id of a wait works for process too, and the wait survives the server.
	if r := p.process("log", created.TaskID); r.output() != "first\n" {
		t.Errorf("log: %s", r.json)
	}
	if err := p.server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.leave()
	next := h.tasker("tester")
	gate.open()
	if got := next.becomes(created.TaskID, "completed"); got.reply.Match != "ready at last" || !*got.reply.Met || got.reply.Status != "running" {
		t.Errorf("the result: %s", got.reply.json)
	}
	if got := next.get(canceled); got.Status != "cancelled" {
		t.Errorf("canceled in the earlier session: %+v", got)
	}
}

// A wait for silence counts the silence while no server ran.
func TestWaitForSilenceContinues(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.tasker("tester")
	id := p.task("bash", params{"command": "echo up; sleep 1000", "background": true}).TaskID
	h.until(id, func(j engine.Job) bool { return j.Output > 0 })
	wait := p.task("process", params{"action": "wait", "sessionId": id, "until": "quiet:1h"}).TaskID
	if err := p.server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.leave()
	// As if two hours had passed.
	dir, name, _ := strings.Cut(wait, ":")
	dir = filepath.Join(h.state, "jobs", dir)
	record := filepath.Join(dir, "waits", name+".json")
	data, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	longAgo := time.Now().Add(-2 * time.Hour)
	data = regexp.MustCompile(`"created_at":"[^"]*"`).ReplaceAll(data, []byte(`"created_at":"`+longAgo.Format(time.RFC3339)+`"`))
	err = errors.Join(os.WriteFile(record, data, 0o600), os.Chtimes(filepath.Join(dir, "output.log"), longAgo, longAgo))
	if err != nil {
		t.Fatal(err)
	}
	if got := h.tasker("tester").becomes(wait, "completed"); !*got.reply.Met || got.reply.Status != "running" {
		t.Errorf("the result: %s", got.reply.json)
	}
}

func TestWaitForFirstOfSeveral(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := newGate(t)
	p := h.tasker("tester")
	var ids []string
	for _, command := range []string{"sleep 1000", "read -r x < " + gate.path + "; exit 5"} {
		ids = append(ids, p.task("bash", params{"command": command, "background": true}).TaskID)
	}
	all := p.task("process", params{"action": "wait", "sessionIds": ids, "until": "exit"}).TaskID
	gate.open()
	if got := p.becomes(all, "completed"); got.reply.SessionID != ids[1] || got.reply.code() != 5 || !*got.reply.Met {
		t.Errorf("the result: %s", got.reply.json)
	}
	if r := h.agent("tester").process("wait", "", "sessionIds", ids); r.SessionID != ids[1] {
		t.Errorf("without tasks: %s", r.json)
	}
	p.refused("process", params{"action": "wait", "sessionIds": []string{ids[0], "nothing-xxxxx"}}, "not_found")
	p.refused("process", params{"action": "log", "sessionIds": ids}, "usage", "sessionIds")
}

func TestQuestionIsForm(t *testing.T) {
	t.Run("on a terminal", func(t *testing.T) { playQuestions(t, true) })
	t.Run("with a terminal for input only", func(t *testing.T) { playQuestions(t, false) })
}

func playQuestions(t *testing.T, pty bool) {
	t.Parallel()
	h := newHome(t)
	p := h.tasker("tester")
	id := p.task("bash", params{"command": `printf 'Name? '; read -r n; printf 'Name? '; read -r m; stty -echo; printf 'Password: '; read -r s; stty echo; echo "$n and $m and ${#s}"`, "pty": pty, "background": true}).TaskID
	var keys []string
	for _, answer := range []string{"Ann", "Bob"} {
		asked := p.becomes(id, "input_required")
		if len(asked.InputRequests) != 1 {
			t.Fatalf("%d questions", len(asked.InputRequests))
		}
		for key, q := range asked.InputRequests {
			if q.Method != "elicitation/create" || q.Params.Mode != "form" || q.Params.Message != "Name?" || q.Params.RequestedSchema.Properties["answer"].Type != "string" {
				t.Errorf("the question: %+v", q)
			}
			keys = append(keys, key)
			if again := p.get(id); len(again.InputRequests) != 1 || again.InputRequests[key].Method == "" {
				t.Errorf("asked again under another key: %+v", again.InputRequests)
			}
			p.refusedTask("tasks/update", id, map[string]any{key: map[string]any{"action": "accept", "content": map[string]any{}}}, -32602)
			// The second answer to the same question is ignored.
			for _, text := range []string{answer, "Eve"} {
				if _, err := p.taskCall("tasks/update", id, map[string]any{key: map[string]any{"action": "accept", "content": map[string]any{"answer": text}}}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if keys[0] == keys[1] {
		t.Error("two questions have one key")
	}
	// A password is for the terminal alone.
	got := p.get(id)
	for late := time.Now().Add(patience); !strings.Contains(got.StatusMessage, "hidden input") && time.Now().Before(late); got = p.get(id) {
		if got.Status != "working" {
			t.Fatalf("hidden input: %+v", got)
		}
	}
	where := "select " + id
	if pty {
		where = "hob attach " + id
	}
	if !strings.Contains(got.StatusMessage, where) {
		t.Errorf("hidden input: %+v", got)
	}
	p.process("submit", id, "data", "geheim")
	if got := p.becomes(id, "completed"); !strings.Contains(got.reply.output(), "Ann and Bob and 6") {
		t.Errorf("the result: %s", got.reply.json)
	}
}

// A program that asks for a secret may leave the echo on.
func TestSecretIsNoForm(t *testing.T) {
	t.Parallel()
	for name, args := range map[string]params{
		"on a terminal":                      {"command": "printf 'Password: '; read -r x", "pty": true},
		"with a terminal for input only":     {"command": "printf 'API token? '; read -r x"},
		"at the end of a long line":          {"command": "printf '%01000d Your PIN: ' 0; read -r x", "pty": true},
		"on stderr, while stdout has a line": {"command": "echo begun; printf 'passphrase: ' >&2; read -r x", "split": true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			p := h.tasker("tester")
			args["background"] = true
			id := p.task("bash", args).TaskID
			got := p.get(id)
			for late := time.Now().Add(patience); !strings.Contains(got.StatusMessage, "hidden input") && time.Now().Before(late); got = p.get(id) {
				if got.Status != "working" {
					t.Fatalf("a secret is asked for: %+v", got)
				}
			}
			if !strings.Contains(got.StatusMessage, "hidden input") {
				t.Fatalf("a secret: %+v", got)
			}
			p.process("submit", id, "data", "geheim")
			p.becomes(id, "completed")
		})
	}
}

func TestRefusedQuestionStaysForTheTerminal(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.tasker("tester")
	id := p.task("bash", params{"command": `printf 'Go on? '; read -r x; echo "got $x"`, "pty": true, "background": true}).TaskID
	for key := range p.becomes(id, "input_required").InputRequests {
		if _, err := p.taskCall("tasks/update", id, map[string]any{key: map[string]any{"action": "decline"}}); err != nil {
			t.Fatal(err)
		}
	}
	if got := p.get(id); got.Status != "working" || !strings.Contains(got.StatusMessage, "hob attach "+id) {
		t.Errorf("after the refusal: %+v", got)
	}
	h.hob("write --enter " + id + " yes")
	if got := p.becomes(id, "completed"); !strings.Contains(got.reply.output(), "got yes") {
		t.Errorf("the result: %s", got.reply.json)
	}
}

// A question that was answered elsewhere can be asked again in the same words. The answer to the
// first one is not typed into the second one.
func TestAnswerToEarlierQuestionIsIgnored(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(h *home, p *peer, id string){
		"by the user":  func(h *home, _ *peer, id string) { h.hob("write --enter " + id + " yes") },
		"by the agent": func(_ *home, p *peer, id string) { p.process("submit", id, "data", "yes") },
	} {
		for _, pty := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, pty %v", name, pty), func(t *testing.T) {
				t.Parallel()
				h := newHome(t)
				p := h.tasker("tester")
				id := p.task("bash", params{"command": `for n in 1 2; do printf 'Go on? '; read -r a; echo "$n:$a"; done`, "pty": pty, "background": true}).TaskID
				typeInto := func(key, text string) {
					response := map[string]any{"action": "accept", "content": map[string]any{"answer": text}}
					if _, err := p.taskCall("tasks/update", id, map[string]any{key: response}); err != nil {
						t.Fatal(err)
					}
				}
				first := onlyKey(t, p.becomes(id, "input_required"))
				answer(h, p, id)
				h.until(id, func(j engine.Job) bool { return j.Output >= int64(len("Go on? 1:yes\nGo on? ")) && j.Waiting })
				second := onlyKey(t, p.becomes(id, "input_required"))
				for late := time.Now().Add(patience); second == first; second = onlyKey(t, p.becomes(id, "input_required")) {
					if time.Now().After(late) { // the server may lag behind the record
						t.Fatal("two questions have one key")
					}
					time.Sleep(20 * time.Millisecond) // clients poll
				}
				typeInto(first, "stale")
				typeInto(second, "no")
				if got := p.becomes(id, "completed"); !strings.Contains(got.reply.output(), "1:yes") || !strings.Contains(got.reply.output(), "2:no") {
					t.Errorf("the result: %s", got.reply.json)
				}
			})
		}
	}
}

func TestNoMessagesToClientsOfTasks(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := newGate(t)
	p := h.agentOf(firstWithTasks, h.project, "tester", "HOB_LOG="+os.DevNull)
	id := p.task("bash", params{"command": "read -r x < " + gate.path + "; exit 4", "background": true}).TaskID
	gate.open()
	p.becomes(id, "completed")
	p.process("list", "")
	select {
	case log := <-p.logs:
		t.Errorf("a message that was not asked for: %v", log)
	default:
	}
}

// The time of a task's last change is that of the job's output, not of the request.
func TestTaskChangesWithOutput(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	p := h.tasker("tester")
	id := p.task("bash", params{"command": "echo begun; sleep 1000", "background": true}).TaskID
	wait := p.task("process", params{"action": "wait", "sessionId": id, "until": "never"}).TaskID
	h.until(id, func(j engine.Job) bool { return j.Output > 0 })
	printed := time.Now().Add(time.Hour).Truncate(time.Second)
	if err := os.Chtimes(filepath.Join(h.state, "jobs", id, "output.log"), printed, printed); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{id, wait} {
		if got := p.get(id); !got.LastUpdatedAt.Equal(printed) {
			t.Errorf("%s: changed at %v, its output at %v", id, got.LastUpdatedAt, printed)
		}
	}
}
