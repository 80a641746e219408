//go:build unix

package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const tasksExtension = "io.modelcontextprotocol/tasks"

// capabilities are those of a client of that version: from firstWithTasks on it accepts tasks
// and shows forms.
func capabilities(version string) *sdk.ClientCapabilities {
	c := &sdk.ClientCapabilities{}
	if version >= firstWithTasks {
		c.AddExtension(tasksExtension, nil)
		c.Elicitation = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}}
	}
	return c
}

// taskReply is a task as a client gets it.
type taskReply struct {
	sdk.ResultBase
	ResultType     string              `json:"resultType"`
	TaskID         string              `json:"taskId"`
	Status         string              `json:"status"`
	StatusMessage  string              `json:"statusMessage"`
	CreatedAt      time.Time           `json:"createdAt"`
	LastUpdatedAt  time.Time           `json:"lastUpdatedAt"`
	TTLMs          *int64              `json:"ttlMs"`
	PollIntervalMs int64               `json:"pollIntervalMs"`
	InputRequests  map[string]question `json:"inputRequests"`
	Result         json.RawMessage     `json:"result"`

	reply reply // of Result
}

// question is a request for input.
type question struct {
	Method string `json:"method"`
	Params struct {
		Mode            string `json:"mode"`
		Message         string `json:"message"`
		RequestedSchema struct {
			Properties map[string]struct {
				Type string `json:"type"`
			} `json:"properties"`
		} `json:"requestedSchema"`
	} `json:"params"`
}

type taskParams struct {
	sdk.ParamsBase
	ID        any `json:"taskId"`
	Responses any `json:"inputResponses,omitempty"`
}

func addTaskMethods(t *testing.T, c *sdk.Client) {
	t.Helper()
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		if err := sdk.AddSendingCustomMethod[*taskParams, *taskReply](c, method); err != nil {
			t.Fatal(err)
		}
	}
}

// taskReader passes messages on and copies the tasks in them, which the SDK drops.
func taskReader(r io.ReadCloser, created chan<- taskReply) io.ReadCloser {
	out, in := io.Pipe()
	go func() {
		b := bufio.NewReader(r)
		for {
			line, err := b.ReadBytes('\n')
			var msg struct{ Result taskReply }
			if json.Unmarshal(line, &msg) == nil && msg.Result.ResultType == "task" {
				created <- msg.Result
			}
			if len(line) > 0 {
				if _, writeErr := in.Write(line); err == nil {
					err = writeErr
				}
			}
			if err != nil {
				in.CloseWithError(err)
				return
			}
		}
	}()
	return copied{out, r}
}

// copied is a stream whose copy is read.
type copied struct {
	*io.PipeReader
	from io.Closer
}

// Close ends the source and the copy, so that no writer waits for a reader that has gone.
func (c copied) Close() error {
	c.PipeReader.Close()
	return c.from.Close()
}

// tasker is an agent that accepts tasks.
func (h *home) tasker(name string) *peer {
	h.t.Helper()
	return h.agentOf(firstWithTasks, h.project, name)
}

// task makes a call that must be answered with a task.
func (p *peer) task(tool string, args params) taskReply {
	p.t.Helper()
	if r := p.call(tool, args); r.text != "" {
		p.t.Fatalf("%s %v: no task: %s", tool, args, r.text)
	}
	select {
	case t := <-p.created:
		p.checkTask(t)
		return t
	default:
		p.t.Fatalf("%s %v: no task", tool, args)
		return taskReply{}
	}
}

func (p *peer) taskCall(method string, id, responses any) (*taskReply, error) {
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	t, err := sdk.CallCustomMethod[*taskParams, *taskReply](ctx, p.session, method, &taskParams{ID: id, Responses: responses})
	if err == nil && t.ResultType != "complete" {
		p.t.Errorf("%s %s: result type %q", method, id, t.ResultType)
	}
	return t, err
}

func (p *peer) get(id string) taskReply {
	p.t.Helper()
	t, err := p.taskCall("tasks/get", id, nil)
	if err != nil {
		p.t.Fatalf("get %s: %v", id, err)
	}
	p.checkTask(*t)
	if t.Result != nil {
		var r struct {
			ResultType        string
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
			IsError           bool
		}
		if err := json.Unmarshal(t.Result, &r); err != nil {
			p.t.Fatal(err)
		}
		if err := json.Unmarshal(r.StructuredContent, &t.reply); err != nil || len(r.Content) != 1 {
			p.t.Fatalf("%v in %s", err, t.Result)
		}
		if r.ResultType != "complete" || r.IsError != (t.reply.Error != nil) {
			p.t.Errorf("the result of %s is not that of a call: %s", id, t.Result)
		}
		if err := p.checkResult("process", r.StructuredContent); err != nil {
			p.t.Error(err)
		}
		t.reply.text, t.reply.json = r.Content[0].Text, string(r.StructuredContent)
	}
	return *t
}

// checkTask checks what the schema of the extension requires of every task: the fields of all statuses,
// and those that one status has and the others have not.
func (p *peer) checkTask(t taskReply) {
	p.t.Helper()
	if t.TaskID == "" || t.CreatedAt.IsZero() || t.LastUpdatedAt.Before(t.CreatedAt) || t.TTLMs == nil || t.PollIntervalMs < 1 {
		p.t.Errorf("a task lacks a field: %+v", t)
	}
	if !slices.Contains([]string{"working", "input_required", "completed", "cancelled"}, t.Status) {
		p.t.Errorf("a task is %q", t.Status)
	}
	if hasResult := t.Result != nil; hasResult != (t.Status == "completed") {
		p.t.Errorf("a task that is %s, with the result %s", t.Status, t.Result)
	}
	if asks := len(t.InputRequests) > 0; asks != (t.Status == "input_required") {
		p.t.Errorf("a task that is %s, with the questions %v", t.Status, t.InputRequests)
	}
}

// becomes asks for a task until it has that status.
func (p *peer) becomes(id, status string) taskReply {
	p.t.Helper()
	late := time.Now().Add(patience)
	for {
		t := p.get(id)
		if t.Status == status {
			return t
		}
		if t.Status != "working" && t.Status != "input_required" || time.Now().After(late) {
			p.t.Fatalf("task %s is %s (%s), want %s", id, t.Status, t.StatusMessage, status)
		}
		time.Sleep(20 * time.Millisecond) // clients poll
	}
}

// refusedTask is a request about a task that must fail, with an error of bounded length.
func (p *peer) refusedTask(method string, id, responses any, code int64) {
	p.t.Helper()
	_, err := p.taskCall(method, id, responses)
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || wire.Code != code || len(wire.Message) > 300 {
		p.t.Errorf("%s %v: %v, want code %d", method, id, err, code)
	}
}
