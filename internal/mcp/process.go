package mcp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hobjobs/hob/engine"
)

// An action is something that process does with one job.
type action struct {
	intent engine.Intent
	takes  []string // parameters beside action, sessionId and all
	do     func(a *agent, ctx context.Context, j engine.Job, p *args) (*answer, error)
}

// actions are those of process about one job, by name.
func actions() map[string]action {
	return map[string]action{
		"poll":      {engine.Read, []string{"timeout", "filter", "exclude"}, (*agent).poll},
		"log":       {engine.Read, []string{"offset", "limit", "filter", "exclude"}, (*agent).log},
		"screen":    {engine.Read, nil, (*agent).screen},
		"write":     {engine.Act, []string{"data", "eof"}, (*agent).write},
		"send-keys": {engine.Act, []string{"keys"}, (*agent).sendKeys},
		"submit":    {engine.Act, []string{"data"}, (*agent).submit},
		"paste":     {engine.Act, []string{"data"}, (*agent).paste},
		"kill":      {engine.Act, nil, (*agent).kill},
		"clear":     {engine.Act, nil, (*agent).clear},
		"remove":    {engine.Act, nil, (*agent).remove},
		"restart":   {engine.Read, []string{"env"}, (*agent).restart},
		"wait":      {engine.Read, []string{"until", "timeout"}, (*agent).wait},
	}
}

const actionList = "list"

// actionNames are all actions, in the order they are documented in.
func actionNames() []string {
	return []string{
		actionList, "poll", "log", "screen", "write", "send-keys", "submit", "paste", "kill", "clear", "remove", "restart", "wait",
	}
}

func (a *agent) process(ctx context.Context, p *args) (*answer, error) {
	name := p.oneOf("action", actionNames()...)
	if name == "" {
		p.fail("process: action is missing", "action is one of "+strings.Join(actionNames(), ", "))
	}
	if p.err != nil {
		return nil, p.err
	}
	if name == actionList {
		return a.list(ctx, p)
	}
	act := actions()[name]
	for _, given := range slices.Sorted(maps.Keys(p.values)) {
		if given != "action" && given != "sessionId" && given != "all" && !slices.Contains(act.takes, given) && !p.idle(given) {
			takes := "takes nothing but sessionId"
			if len(act.takes) > 0 {
				takes = "takes " + strings.Join(act.takes, ", ")
			}
			p.fail(fmt.Sprintf("process: %s does not take %s", name, given), name+" "+takes)
		}
	}
	ref, all := p.text("sessionId"), p.boolean("all")
	if p.err != nil {
		return nil, p.err
	}
	return a.onJob(ctx, ref, all, act, p)
}

// onJob carries out an action on the job that ref means.
func (a *agent) onJob(ctx context.Context, ref string, all bool, act action, p *args) (*answer, error) {
	j, err := a.find(ctx, ref, all, act.intent)
	if err != nil {
		return nil, err
	}
	p.about.set(j.ID)
	// What ends meanwhile this answer tells.
	done := a.asks(j.ID)
	defer done()
	return act.do(a, ctx, j, p)
}
