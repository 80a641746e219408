//go:build unix

package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// reply is an answer as received by a client.
type reply struct {
	Status          string
	WaitReason      string
	SessionID       string
	Name            string
	PID             int
	ExitCode        *int
	ExitSignal      string
	Reason          string
	Message         string
	Why             string
	TimedOut        bool
	DurationMS      int64
	DeadlineAt      *time.Time
	WaitingForInput bool
	OutputPath      string
	StdoutPath      string
	StderrPath      string
	Output          *string
	Tail            *string
	Cursor          *int64
	Offset          *int64
	TotalLines      *int64
	Truncated       bool
	Met             *bool
	Match           string
	Screen          *struct{ Cols, Rows, CursorX, CursorY int }
	Jobs            []struct {
		SessionID       string
		Name            string
		Status          string
		WaitReason      string
		ExitCode        *int
		WaitingForInput bool
		CreatedBy       string
		OutputPath      string
		Command         string
	}
	Notices []string
	Next    string
	Error   *struct{ Code, Message, Hint string }

	text string // the text form
	json string
}

type params = map[string]any

// call calls a tool and returns the reply.
func (p *peer) call(tool string, args any) reply {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	r, err := p.try(ctx, tool, args)
	if err != nil {
		p.t.Fatalf("%s %v: %v", tool, args, err)
	}
	return r
}

func (p *peer) try(ctx context.Context, tool string, args any) (reply, error) {
	res, err := p.session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return reply{}, err
	}
	data, err := json.Marshal(res.StructuredContent)
	if err != nil {
		return reply{}, err
	}
	r := reply{json: string(data)}
	if err := json.Unmarshal(data, &r); err != nil {
		return reply{}, fmt.Errorf("%w in %s", err, data)
	}
	if isTask := len(res.Content) == 0 && res.StructuredContent == nil; isTask {
		return r, nil
	}
	if err := p.checkResult(tool, data); err != nil {
		return r, err
	}
	for _, c := range res.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			r.text += t.Text
		}
	}
	if res.IsError != (r.Error != nil) {
		return r, fmt.Errorf("isError is %t, structured content %s", res.IsError, data)
	}
	return r, nil
}

// bash and process call a tool; the call must succeed.
func (p *peer) bash(args params) reply {
	p.t.Helper()
	r := p.call("bash", args)
	if r.Error != nil {
		p.t.Fatalf("bash %v: %+v", args, *r.Error)
	}
	return r
}

func (p *peer) process(action, id string, more ...any) reply {
	p.t.Helper()
	args := params{"action": action}
	if id != "" {
		args["sessionId"] = id
	}
	for i := 0; i < len(more); i += 2 {
		args[more[i].(string)] = more[i+1]
	}
	r := p.call("process", args)
	if r.Error != nil {
		p.t.Fatalf("process %v: %+v", args, *r.Error)
	}
	return r
}

// refused calls a tool; the call must fail.
func (p *peer) refused(tool string, args params, code string, words ...string) {
	p.t.Helper()
	r := p.call(tool, args)
	if r.Error == nil {
		p.t.Errorf("%s %v was not refused: %s", tool, args, r.json)
		return
	}
	if r.Error.Code != code {
		p.t.Errorf("%s %v: code %q, want %q (%s)", tool, args, r.Error.Code, code, r.Error.Message)
	}
	if r.Error.Hint == "" {
		p.t.Errorf("%s %v: the error %q does not say what to do", tool, args, r.Error.Message)
	}
	for _, w := range words {
		if !strings.Contains(r.text, w) {
			p.t.Errorf("%s %v: the error lacks %q: %s", tool, args, w, r.text)
		}
	}
}

func (r reply) output() string {
	switch {
	case r.Output != nil:
		return *r.Output
	case r.Tail != nil:
		return *r.Tail
	}
	return ""
}

func (r reply) noticed(words string) bool {
	return strings.Contains(strings.Join(r.Notices, "\n"), words)
}

// ends polls a job until it has ended, and returns the output of all polls.
func (p *peer) ends(id string) (all string, last reply) {
	p.t.Helper()
	for {
		r := p.process("poll", id, "timeout", 30000)
		all += r.output()
		if r.Status != "running" {
			return all, r
		}
	}
}

// code returns the exit code, or -1 for none.
func (r reply) code() int {
	if r.ExitCode == nil {
		return -1
	}
	return *r.ExitCode
}

func (p *peer) log() map[string]any {
	p.t.Helper()
	select {
	case data := <-p.logs:
		return data
	case <-time.After(patience):
		p.t.Fatal("no log message came")
		return nil
	}
}
