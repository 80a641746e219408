//go:build unix

package mcp_test

import (
	"errors"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

var kills = flag.Int("kills", 8, "how many servers each test kills at a random moment")

// killSoon kills the server of p within 20 ms.
func killSoon(p *peer) (stop func()) {
	pause := time.Duration(rand.Int64N(int64(20 * time.Millisecond)))
	p.t.Logf("kill after %v", pause)
	timer := time.AfterFunc(pause, func() { _ = p.server.Process.Kill() })
	return func() { timer.Stop() }
}

// reportsOf counts the notices about the end of a job, and those marked as a repetition.
func reportsOf(id string, r reply) (all, repeated int) {
	for _, n := range r.Notices {
		if strings.Contains(n, id+" (") {
			all++
			if strings.HasPrefix(n, "perhaps reported before") {
				repeated++
			}
		}
	}
	return all, repeated
}

// At whatever moment the server is killed between the end of a job and its report, the end is not
// lost. If the report may have arrived, the next one is marked as a repetition, and no further
// one follows.
func TestKilledServerLosesNoEnd(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for round := range *kills {
		gate := newGate(t)
		p := h.agent("tester")
		id := p.bash(params{"command": "read -r x < " + gate.path + "; echo over; exit 7", "background": true}).SessionID
		gate.open()
		if round%2 == 0 {
			h.ended(id) // so that the kill hits the report
		}
		reports, repeated := 0, 0
		count := func(r reply) {
			n, again := reportsOf(id, r)
			reports, repeated = reports+n, repeated+again
		}
		stop := killSoon(p)
		for {
			r, err := p.try(t.Context(), "process", params{"action": "list"})
			if err != nil {
				break
			}
			count(r)
		}
		stop()
		p.leave()
		h.ended(id)
		for range 2 {
			next := h.agent("tester")
			count(next.process("list", ""))
			next.leave()
		}
		// A report marked as a repetition may be the first that arrives, or the second.
		if reports-repeated > 1 || reports == 0 || repeated > 1 {
			t.Fatalf("round %d: the end was reported %d times, %d of them as a repetition", round, reports, repeated)
		}
		last := h.agent("tester")
		if n, _ := reportsOf(id, last.process("list", "")); n != 0 {
			t.Fatalf("round %d: reported in every session", round)
		}
		last.leave()
	}
}

// A client that requests its task until it has the result gets the end of the job exactly once,
// whichever servers are killed in between.
func TestKilledServersDeliverTaskOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for round := range *kills {
		gate := newGate(t)
		p := h.tasker("tester")
		id := p.task("bash", params{"command": "read -r x < " + gate.path + "; echo over; exit 7", "background": true}).TaskID
		gate.open()
		if round%2 == 0 {
			h.ended(id)
		}
		stop := killSoon(p)
		more := 0 // servers to kill after that one: more would never end where an answer takes longer
		if round%3 == 0 {
			more = 2
		}
		var got *taskReply
		for got == nil {
			r, err := p.taskCall("tasks/get", id, nil)
			var refused *jsonrpc.Error
			switch {
			case errors.As(err, &refused):
				t.Fatalf("round %d: %v", round, err)
			case err != nil: // the server is gone
				stop()
				p.leave()
				p = h.tasker("tester")
				stop = func() {}
				if more > 0 {
					more--
					stop = killSoon(p)
				}
			case r.Status == "completed":
				got = r
			}
		}
		stop()
		if again := h.tasker("tester").get(id); again.reply.code() != 7 || again.reply.output() != "over\n" {
			t.Errorf("round %d: the result: %s", round, again.reply.json)
		}
		_ = p.server.Process.Kill() // perhaps before the delivery is recorded
		p.leave()
		// A client without tasks gets the notice at once, if there is one.
		next := h.agent("tester")
		if n, _ := reportsOf(id, next.process("list", "")); n != 0 {
			t.Fatalf("round %d: reported again by a notice", round)
		}
		next.leave()
	}
}

// A server that is killed while it starts a job may not have answered with the task. The end of
// the job is then reported by a notice.
func TestServerKilledWhileStartingTask(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for round := range *kills {
		p := h.tasker("tester")
		stop := killSoon(p)
		_, err := p.try(t.Context(), "bash", params{"command": "exit 7", "background": true})
		stop()
		_ = p.server.Process.Kill()
		p.leave()
		jobs := h.jobs()
		if len(jobs) == 0 {
			if err == nil {
				t.Fatalf("round %d: a task without a job", round)
			}
			continue // killed before it started
		}
		id := string(jobs[0].ID)
		h.ended(id)
		if len(jobs) != 1 {
			t.Fatalf("round %d: %d jobs", round, len(jobs))
		}
		if err == nil {
			if task := <-p.created; task.TaskID != id {
				t.Fatalf("round %d: the task %s of the job %s", round, task.TaskID, id)
			}
		}
		all := 0
		for range 2 {
			next := h.agent("tester")
			n, _ := reportsOf(id, next.process("list", ""))
			all += n
			next.leave()
		}
		if all != 1 {
			t.Fatalf("round %d: the end was reported %d times", round, all)
		}
		h.hob("remove " + id)
	}
}

// A server that is killed while it takes the answer to a question has typed it once or not at all.
// If it has not, another server asks again, or the question is left to the terminal.
func TestKilledServerTypesAnswerOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for round := range max(1, *kills/2) {
		p := h.tasker("tester")
		id := p.task("bash", params{"command": "printf 'Name? '; read -r x; printf 'Again? '; read -r x", "pty": true, "background": true}).TaskID
		answer := func(p *peer, key, text string) error {
			_, err := p.taskCall("tasks/update", id, map[string]any{key: map[string]any{"action": "accept", "content": map[string]any{"answer": text}}})
			return err
		}
		asked := onlyKey(t, p.becomes(id, "input_required"))
		stop := killSoon(p)
		typed := answer(p, asked, "one") == nil
		stop()
		_ = p.server.Process.Kill()
		p.leave()
		p = h.tasker("tester")
		if got := p.settles(id, typed); got.Status == "input_required" {
			again := onlyKey(t, got)
			if again == asked {
				if typed {
					t.Fatalf("round %d: asked again after an answer that was confirmed", round)
				}
				if err := answer(p, again, "one"); err != nil {
					t.Fatal(err)
				}
				if again = onlyKey(t, p.settles(id, true)); again == asked {
					t.Fatalf("round %d: the answer to the repeated question is not typed", round)
				}
			}
		}
		if out := p.process("log", id).output(); strings.Count(out, "one") > 1 || typed && !strings.Contains(out, "one") {
			t.Fatalf("round %d: the answer, confirmed: %v, in the log: %q", round, typed, out)
		}
		p.process("kill", id)
		p.leave()
	}
}

func onlyKey(t *testing.T, task taskReply) string {
	t.Helper()
	for key := range task.InputRequests {
		return key
	}
	t.Fatalf("no question: %+v", task)
	return ""
}

// settles asks for a task until it has a question or, unless an answer was typed, the question is
// left to the terminal.
func (p *peer) settles(id string, typed bool) taskReply {
	p.t.Helper()
	late := time.Now().Add(patience)
	for {
		got := p.get(id)
		if got.Status != "working" || !typed && strings.Contains(got.StatusMessage, "answer in a terminal") && strings.HasSuffix(got.StatusMessage, "Name?") {
			return got
		}
		if time.Now().After(late) {
			p.t.Fatalf("still %+v", got)
		}
		time.Sleep(20 * time.Millisecond) // clients poll
	}
}
