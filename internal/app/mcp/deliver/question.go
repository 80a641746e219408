package deliver

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/plain"
	"github.com/hobjobs/hob/internal/app/mcp/tool"
)

// settleTime is how long the output of a job must not have grown before its waiting state is known to be
// about the last line: the holder checks a job that has been quiet for 0.3 s.
const settleTime = 700 * time.Millisecond

// addQuestion completes the task of a job that waits for input. Only input that the terminal echoes is
// requested with a form. A secret, such as a password, must not pass through the agent, so the user
// types it into the job's terminal.
func (d *Delivery) addQuestion(ctx context.Context, j engine.Job, last string, secret bool, t *task) {
	attach := "hob attach " + string(j.ID)
	if !j.HasTerminal() { // attached, it would show its log alone
		attach = "run hob, select " + string(j.ID) + " and press i"
	}
	switch {
	case secret:
		t.Message = "waits for hidden input, such as a password; type it in a terminal: " + attach
	case !d.settledOutput(j):
		t.Message = last
	case j.Entry != engine.EntryOpen, j.NeedsSecret(), !requestOf(ctx).forms, d.answered(j) >= j.Output:
		t.Message = "waits for input; answer in a terminal: " + attach
		if last != "" {
			t.Message += "; its last line: " + last
		}
	default:
		t.Status, t.Message = taskInputRequired, "waits for input; also in a terminal: "+attach
		t.InputRequests = mcp.InputRequestMap{d.questionKey(j, last): &mcp.ElicitParams{
			Mode: "form", Message: question(j, last), RequestedSchema: json.RawMessage(answerSchema),
		}}
	}
}

// sinceAnswer returns the last line of a job's output, without the part printed before the last
// answer: the log of a job whose output is not a terminal has no echo, so one line can contain several
// questions.
func (d *Delivery) sinceAnswer(ctx context.Context, j engine.Job, last string) string {
	from := d.answered(j)
	switch {
	case from <= 0, j.Split, j.Kind == engine.KindPTY:
		return last
	}
	log, err := d.Eng.Handle(j.ID).Log(ctx, engine.StreamOutput)
	if err != nil {
		return last
	}
	defer log.Close()
	p, err := log.Bytes(ctx, max(from, j.Output-tool.TailChars), j.Output)
	if err != nil {
		return last
	}
	return plain.LastLine(plain.Clean(p))
}

// question returns what a job asks: the last line of its output.
func question(j engine.Job, last string) string {
	if last == "" {
		return plain.OneLine(j.Name, 60) + " needs input"
	}
	return plain.OneLine(last, plain.MaxLine)
}

const (
	answerField  = "answer"
	answerSchema = `{"type":"object","properties":{"answer":{"type":"string","title":"Answer","description":"Typed into the job's terminal, followed by Enter"}},"required":["answer"]}`
)

// questionKey returns a key that identifies the current question of a job. It is the same in every
// server until the question is answered. A job can ask the same again after input that did not come
// from this agent, so the key depends on how much the job has printed.
func (d *Delivery) questionKey(j engine.Job, last string) string {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %d %s", d.answered(j), j.Output, last)
	return fmt.Sprintf("input-%016x", h.Sum64())
}

// answered returns how much the job had printed when its last question was answered or refused, or -1
// if there was none. A note about the job has it, plus one.
func (d *Delivery) answered(j engine.Job) int64 {
	return d.Notes.Number(string(j.ID), d.Scope.AnswerReader()) - 1
}

// settledOutput reports whether this server has seen no growth of a job's output for settleTime. Before
// that, the state may still be that of an earlier question, while the current one may be for a password.
func (d *Delivery) settledOutput(j engine.Job) bool {
	d.news.mu.Lock()
	defer d.news.mu.Unlock()
	seen := &d.news.of(j.ID).output
	if seen.since.IsZero() || seen.size != j.Output {
		*seen = output{size: j.Output, since: time.Now()}
	}
	return time.Since(seen.since) >= settleTime
}

// updateTask types the answer to the question of a job. As the protocol requires, answers to other
// questions are ignored: such a question was answered before, perhaps in the terminal.
func (d *Delivery) updateTask(ctx context.Context, j engine.Job, given json.RawMessage) error {
	var responses map[string]json.RawMessage
	if json.Unmarshal(given, &responses) != nil || responses == nil {
		return invalidParams("inputResponses is missing or not an object")
	}
	if j.Status.Finished() {
		return nil
	}
	// Two answers at once must not both be typed.
	lock, err := d.Notes.Lock(string(j.ID), d.Scope.AnswerReader())
	if err != nil {
		return err
	}
	defer lock.Close()
	t := &task{}
	for range 2 { // the second time for a question of an earlier server
		if j, err = d.Eng.Handle(j.ID).Facts(ctx); err != nil {
			return err
		}
		if err := d.describe(ctx, j, t); err != nil {
			return err
		}
		if t.InputRequests != nil || d.settledOutput(j) {
			break
		}
		select {
		case <-time.After(settleTime):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for key := range t.InputRequests {
		raw, ok := responses[key]
		if !ok {
			continue
		}
		var r struct {
			Action  string         `json:"action"`
			Content map[string]any `json:"content"`
		}
		if err := json.Unmarshal(raw, &r); err != nil || !slices.Contains([]string{"accept", "decline", "cancel"}, r.Action) {
			return invalidParams("the response %q has no action accept, decline or cancel", key)
		}
		text, ok := r.Content[answerField].(string)
		if r.Action == "accept" && !ok {
			return invalidParams("the response %q has no %s", key, answerField)
		}
		return d.typeAnswer(ctx, j, r.Action == "accept", text)
	}
	return nil
}

// typeAnswer types an answer and Enter. A question that was refused can be answered in the terminal.
// The answer is recorded before it is typed: an answer that is typed twice cannot be undone, while one
// that is not typed can be given in the terminal.
func (d *Delivery) typeAnswer(ctx context.Context, j engine.Job, accepted bool, text string) error {
	if err := d.Notes.SetNumber(string(j.ID), d.Scope.AnswerReader(), j.Output+1); err != nil {
		return err
	}
	if !accepted {
		return nil
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
	return d.Eng.Handle(j.ID).Write(ctx, []byte(text+"\r"))
}
