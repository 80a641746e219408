package mcp

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hobjobs/hob/engine"
)

const actionList = "list"

type processArgs struct {
	Action    string            `json:"action" enum:"list,poll,log,screen,write,send-keys,submit,paste,kill,clear,remove,restart,wait" jsonschema:"list: your jobs. poll: what is new, once. log: lines, the last 200 unless offset or limit say others; consumes nothing. screen: of a pty job. write, send-keys, submit (line and Enter), paste: type. kill: end it with all it started. clear: forget a finished job. remove: kill and clear. restart: the same again. wait: until something is so"`
	SessionID string            `json:"sessionId,omitempty" also:"process_id,session_id,bash_id,shell_id" jsonschema:"The job: its id, a unique prefix, its name, or @ for the newest"`
	All       bool              `json:"all,omitempty" jsonschema:"Look at the jobs of others too: the person's and other agents'"`
	Offset    *int64            `json:"offset,omitempty" for:"log,list" jsonschema:"log: number of the first line, from 0; list: how many finished jobs to pass over"`
	Limit     *int64            `json:"limit,omitempty" also:"lines" for:"log,list" jsonschema:"log: how many lines; list: how many finished jobs (default 50)"`
	Filter    string            `json:"filter,omitempty" for:"poll,log,list" jsonschema:"poll, log: only lines that match this regular expression; list: only jobs whose id, name or command does"`
	Exclude   string            `json:"exclude,omitempty" for:"poll,log,list" jsonschema:"poll, log: no lines that match this regular expression; list: no such jobs"`
	Data      string            `json:"data,omitempty" for:"write,submit,paste" jsonschema:"write, submit, paste: what to type; write needs \"\\n\" at the end of a line"`
	EOF       bool              `json:"eof,omitempty" for:"write" jsonschema:"write: end the input after it"`
	Keys      []string          `json:"keys,omitempty" for:"send-keys" jsonschema:"send-keys: tmux names, such as C-c, Up, Enter; other words are typed"`
	Timeout   *float64          `json:"timeout,omitempty" also:"timeoutMs,timeout_ms" for:"poll,wait" unit:"timeout is in milliseconds here: 5 seconds are \"timeout\":5000" jsonschema:"Milliseconds: poll waits that long for news (default 0, at most 30000), wait for its condition (default 30000, at most 600000)"`
	Until     string            `json:"until,omitempty" for:"wait" jsonschema:"wait: a regular expression that a line matches, exit (default), quiet:5s or port:3000"`
	Env       map[string]string `json:"env,omitempty" for:"restart" jsonschema:"restart: variables that were given when it was started"`
}

// An action of process is about one job.
type action struct {
	intent engine.Intent
	do     func(a *agent, ctx context.Context, j engine.Job, in processArgs) (*answer, error)
}

// actions are the actions about one job, by name.
func actions() map[string]action {
	return map[string]action{
		"poll":      {engine.Read, (*agent).poll},
		"log":       {engine.Read, (*agent).log},
		"screen":    {engine.Read, (*agent).screen},
		"write":     {engine.Act, (*agent).write},
		"send-keys": {engine.Act, (*agent).sendKeys},
		"submit":    {engine.Act, (*agent).submit},
		"paste":     {engine.Act, (*agent).paste},
		"kill":      {engine.Act, (*agent).kill},
		"clear":     {engine.Act, (*agent).clear},
		"remove":    {engine.Act, (*agent).remove},
		"restart":   {engine.Read, (*agent).restart},
		"wait":      {engine.Read, (*agent).wait},
	}
}

func (a *agent) process(ctx context.Context, in processArgs, about *subject) (*answer, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	if in.Action == actionList {
		return a.list(ctx, in)
	}
	act := actions()[in.Action]
	j, err := a.find(ctx, in.SessionID, in.All, act.intent)
	if err != nil {
		return nil, err
	}
	about.set(j.ID)
	// The answer reports the end of the job, so no log message is needed.
	done := a.answering(j.ID)
	defer done()
	return act.do(a, ctx, j, in)
}

// check reports arguments that the action does not accept.
func (in processArgs) check() error {
	fields := reflect.VisibleFields(reflect.TypeOf(in))
	if in.Action == "" {
		return usage("process: action is missing", oneOf(fields[0]))
	}
	if in.Action == actionList && in.SessionID != "" {
		return usage("process: list does not take sessionId", "poll and log are about one job; list takes "+in.taken())
	}
	for _, f := range fields {
		actions := listed(f, "for")
		if len(actions) > 0 && !slices.Contains(actions, in.Action) && !holdsNothing(reflect.ValueOf(in).FieldByIndex(f.Index)) {
			return usage(fmt.Sprintf("process: %s does not take %s", in.Action, nameOf(f)), in.Action+" takes "+in.taken())
		}
	}
	return nil
}

// taken lists the arguments of the action, without those that all actions accept.
func (in processArgs) taken() string {
	var names []string
	if in.Action == actionList {
		names = append(names, "all")
	}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(in)) {
		if slices.Contains(listed(f, "for"), in.Action) {
			names = append(names, nameOf(f))
		}
	}
	if len(names) == 0 {
		return "nothing but sessionId"
	}
	return strings.Join(names, ", ")
}
