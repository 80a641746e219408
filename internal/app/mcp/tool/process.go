package tool

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/app/mcp/params"
)

const actionList = "list"

// ProcessArgs are the arguments of process.
type ProcessArgs struct {
	Action     string            `json:"action" enum:"list,poll,log,screen,write,send-keys,submit,paste,kill,clear,remove,restart,wait" jsonschema:"list: your jobs. poll: new output, each line once. log: lines, by default the last 200; does not affect poll. screen: of a pty job. write, send-keys, submit (line and Enter), paste: send input. kill: end it with all its processes. clear: delete a finished job. remove: kill and clear. restart: stop it and start its command again. wait: until a condition holds"`
	SessionID  string            `json:"sessionId,omitempty" also:"process_id,session_id,bash_id,shell_id" jsonschema:"The job: its id (also that of its task), a unique prefix, its name, or @ for the newest"`
	SessionIDs []string          `json:"sessionIds,omitempty" for:"wait" jsonschema:"wait: several jobs; returns when the condition holds for one of them or one ends"`
	All        bool              `json:"all,omitempty" jsonschema:"Include jobs of the user and of other agents"`
	Offset     *int64            `json:"offset,omitempty" for:"log,list" jsonschema:"log: number of the first line, from 0; list: how many finished jobs to skip"`
	Limit      *int64            `json:"limit,omitempty" also:"lines" for:"log,list" jsonschema:"log: how many lines; list: how many finished jobs (default 50)"`
	Filter     string            `json:"filter,omitempty" for:"poll,log,list" jsonschema:"poll, log: only lines that match this regular expression; list: only jobs whose id, name or command does"`
	Exclude    string            `json:"exclude,omitempty" for:"poll,log,list" jsonschema:"The opposite of filter"`
	Data       string            `json:"data,omitempty" for:"write,submit,paste" jsonschema:"write, submit, paste: the input; write needs \"\\n\" at the end of a line"`
	EOF        bool              `json:"eof,omitempty" for:"write" jsonschema:"write: then end the input"`
	Keys       []string          `json:"keys,omitempty" for:"send-keys" jsonschema:"send-keys: tmux names, such as C-c, Up, Enter; other words are typed"`
	Timeout    *float64          `json:"timeout,omitempty" also:"timeoutMs,timeout_ms" for:"poll,wait" unit:"timeout is in milliseconds here: 5 seconds are \"timeout\":5000" jsonschema:"Milliseconds: poll waits this long for new output (default 0, at most 30000), wait for its condition (default 30000, at most 600000)"`
	Until      string            `json:"until,omitempty" for:"wait" jsonschema:"wait: a regular expression that a line matches, exit (default), quiet:5s, port:3000 or status:done,blocked (what its program reports); of several, one a line, the first that holds"`
	Env        map[string]string `json:"env,omitempty" for:"restart" jsonschema:"restart: environment variables; their values are not kept from the first start"`
}

// An action of process is about one job.
type action struct {
	intent engine.Intent
	do     func(a *Tools, ctx context.Context, j engine.Job, in ProcessArgs) (*Answer, error)
}

// actions are the actions about one job, by name.
func actions() map[string]action {
	return map[string]action{
		"poll":      {engine.Read, (*Tools).poll},
		"log":       {engine.Read, (*Tools).log},
		"screen":    {engine.Read, (*Tools).screen},
		"write":     {engine.Act, (*Tools).write},
		"send-keys": {engine.Act, (*Tools).sendKeys},
		"submit":    {engine.Act, (*Tools).submit},
		"paste":     {engine.Act, (*Tools).paste},
		"kill":      {engine.Act, (*Tools).kill},
		"clear":     {engine.Act, (*Tools).clear},
		"remove":    {engine.Act, (*Tools).remove},
		"restart":   {engine.Read, (*Tools).restart},
		"wait":      {engine.Read, (*Tools).wait},
	}
}

// Process performs an action on jobs.
func (t *Tools) Process(ctx context.Context, in ProcessArgs) (*Answer, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	if in.Action == actionList {
		return t.list(ctx, in)
	}
	if in.SessionID == "" && len(in.SessionIDs) > 0 {
		in.SessionID, in.SessionIDs = in.SessionIDs[0], in.SessionIDs[1:]
	}
	act := actions()[in.Action]
	j, err := t.find(ctx, in.SessionID, in.All, act.intent)
	if err != nil {
		return nil, err
	}
	t.delivery.About(ctx, j.ID)
	// The answer reports the end of the job, so the agent needs no notice of it.
	done := t.delivery.Answering(j.ID)
	defer done()
	return act.do(t, ctx, j, in)
}

// check reports arguments that the action does not accept.
func (in ProcessArgs) check() error {
	fields := reflect.VisibleFields(reflect.TypeOf(in))
	if in.Action == "" {
		return Usage("process: action is missing", params.OneOf(fields[0]))
	}
	if in.Action == actionList && in.SessionID != "" {
		return Usage("process: list does not take sessionId", "for one job use poll or log; list takes "+in.taken())
	}
	for _, f := range fields {
		actions := params.Listed(f, "for")
		if len(actions) > 0 && !slices.Contains(actions, in.Action) && !params.HoldsNothing(reflect.ValueOf(in).FieldByIndex(f.Index)) {
			return Usage(fmt.Sprintf("process: %s does not take %s", in.Action, params.NameOf(f)), in.Action+" takes "+in.taken())
		}
	}
	return params.CheckRefs("process", "sessionIds", in.SessionIDs)
}

// taken lists the arguments of the action, without those that all actions accept.
func (in ProcessArgs) taken() string {
	var names []string
	if in.Action == actionList {
		names = append(names, "all")
	}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(in)) {
		if slices.Contains(params.Listed(f, "for"), in.Action) {
			names = append(names, params.NameOf(f))
		}
	}
	if len(names) == 0 {
		return "nothing but sessionId"
	}
	return strings.Join(names, ", ")
}
