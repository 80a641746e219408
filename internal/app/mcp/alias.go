package mcp

import (
	"context"

	"github.com/hobjobs/hob/internal/app/mcp/tool"
)

type outputArgs struct {
	ProcessID   string   `json:"process_id" also:"sessionId,session_id,bash_id,shell_id" jsonschema:"The job's sessionId"`
	TimeoutSecs *float64 `json:"timeout_secs,omitempty" jsonschema:"Seconds to wait for new output (at most 30)"`
	Filter      string   `json:"filter,omitempty" jsonschema:"Only lines that match this regular expression"`
	Exclude     bool     `json:"filter_exclude,omitempty" jsonschema:"Return the lines that do not match filter"`
}

func (a *agent) bashOutput(ctx context.Context, in outputArgs) (*tool.Answer, error) {
	poll := tool.ProcessArgs{
		Action:    "poll",
		SessionID: in.ProcessID,
		Filter:    in.Filter,
	}
	if in.TimeoutSecs != nil {
		ms := 1000 * *in.TimeoutSecs
		poll.Timeout = &ms
	}
	switch {
	case in.ProcessID == "":
		return nil, noProcessID("bash_output")
	case in.Exclude && in.Filter == "":
		return nil, tool.Usage("bash_output: filter_exclude without filter", "give filter too")
	case in.Exclude:
		poll.Filter, poll.Exclude = "", in.Filter
	}
	return a.tools.Process(ctx, poll)
}

type terminateArgs struct {
	ProcessID string `json:"process_id" also:"sessionId,session_id,bash_id,shell_id" jsonschema:"The job's sessionId"`
}

func (a *agent) bashTerminate(ctx context.Context, in terminateArgs) (*tool.Answer, error) {
	if in.ProcessID == "" {
		return nil, noProcessID("bash_background_terminate")
	}
	return a.tools.Process(ctx, tool.ProcessArgs{Action: "kill", SessionID: in.ProcessID})
}

func noProcessID(of string) error {
	return tool.Usage(of+": process_id is missing", "give the sessionId of a job; bash_background_list shows yours")
}
