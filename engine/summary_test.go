package engine_test

import (
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
)

func TestSummary(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	exited := func(code int, x engine.Exit) engine.State {
		x.Status, x.Reason, x.Code, x.At, x.Ran = engine.Exited, engine.ReasonExit, &code, now, 14_000
		return engine.State{Status: engine.Exited, StartedAt: now.Add(-time.Hour), Exit: x}
	}
	killed := func(x engine.Exit) engine.State {
		x.Status, x.At, x.Ran = engine.Killed, now, 14_000
		return engine.State{Status: engine.Killed, StartedAt: now.Add(-time.Hour), Exit: x}
	}
	queued := func(p engine.Pending) engine.State { return engine.State{Status: engine.Queued, Pending: &p} }
	one := 1
	refused := engine.Exit{Status: engine.Exited, Code: &one, Reason: engine.ReasonExit, Summary: "connection refused"}
	tests := map[string]struct {
		state   engine.State
		request engine.Request
		ports   []int
		want    string
	}{
		"failed with a cause":      {state: exited(1, engine.Exit{Summary: "port 5173 is in use"}), want: "port 5173 is in use"},
		"failed without output":    {state: exited(1, engine.Exit{}), want: "after 14s"},
		"command not found":        {state: exited(127, engine.Exit{}), want: "command not found"},
		"could not be started":     {state: engine.State{Status: engine.Failed, Exit: engine.Exit{Status: engine.Failed, Reason: engine.ReasonSpawn, Error: "no such directory"}}, want: "no such directory"},
		"timed out":                {state: killed(engine.Exit{Reason: engine.ReasonTimeout, EndedBy: "timeout"}), request: engine.Request{Timeout: 2000}, want: "after 2s"},
		"killed by nobody known":   {state: killed(engine.Exit{Reason: engine.ReasonSignal, Signal: "SIGKILL"}), want: "out of memory?"},
		"killed out of memory":     {state: killed(engine.Exit{Reason: engine.ReasonSignal, Signal: "SIGKILL", OOMKills: 1}), want: "out of memory"},
		"killed by a signal of ui": {state: killed(engine.Exit{Reason: engine.ReasonSignal, Signal: "SIGTERM", EndedBy: "ui"}), want: "sent by you"},
		"stopped":                  {state: killed(engine.Exit{Reason: engine.ReasonKill, EndedBy: "cli"}), want: "by you"},
		"lost":                     {state: engine.State{Status: engine.Lost, StartedAt: now, Exit: engine.Exit{Status: engine.Lost, Reason: engine.ReasonReboot}}, want: "the machine restarted; output until then is kept"},
		"succeeded with output":    {state: exited(0, engine.Exit{Summary: "added 1204 packages in 31s"}), want: "added 1204 packages in 31s"},
		"succeeded without":        {state: exited(0, engine.Exit{}), want: "ran 14s"},

		"needs input": {state: engine.State{Status: engine.Running, Waiting: true, Line: "Enter a value:"}, ports: []int{80}, want: "Enter a value:"},
		"says what it needs, and reads": {
			state: engine.State{
				Status:  engine.Running,
				Waiting: true,
				Line:    ">",
				Program: &engine.Program{ProgramReport: engine.ProgramReport{State: engine.ProgramBlocked, Kind: engine.NeedsPermission, Message: "go test"}},
			},
			want: "blocked: permission · go test",
		},
		"unhealthy": {
			state: engine.State{
				Status: engine.Running,
				Line:   "tick",
				Health: &engine.Health{State: engine.Unhealthy, Failures: 3, Output: "no answer after 2s"},
			},
			want: "check fails: no answer after 2s",
		},
		"running":       {state: engine.State{Status: engine.Running, Line: "tick"}, want: "tick"},
		"with ports":    {state: engine.State{Status: engine.Running, Line: "200 GET /"}, ports: []int{5173, 5174}, want: "200 GET / · :5173 :5174"},
		"ports alone":   {state: engine.State{Status: engine.Running}, ports: []int{5173, 5174}, want: "port 5173 :5174"},
		"an unused one": {state: engine.State{Status: engine.Running}, request: engine.Request{Port: 20111}, want: ""},
		"progress":      {state: engine.State{Status: engine.Running, Line: "layer 6/12", Progress: &engine.Progress{State: "normal", Percent: 52}}, want: "52%  layer 6/12"},
		"no percentage": {state: engine.State{Status: engine.Running, Line: "layer", Progress: &engine.Progress{State: "indeterminate"}}, want: "layer"},
		"full screen":   {state: engine.State{Status: engine.Running, Line: "~", Alternate: true}, want: "full screen"},
		"stopping":      {state: engine.State{Status: engine.Stopping, Stopping: &engine.StopRequest{Deadline: now.Add(3 * time.Second)}}, want: "kill 3s"},

		"next":             {state: queued(engine.Pending{Name: "default", Position: 1}), want: "next in default"},
		"third":            {state: queued(engine.Pending{Name: "default", Position: 3}), want: "place 3 in default"},
		"paused":           {state: queued(engine.Pending{Name: "deploy", Position: 1, Paused: true}), want: "deploy is paused"},
		"third and paused": {state: queued(engine.Pending{Name: "deploy", Position: 3, Paused: true}), want: "deploy is paused, place 3"},
		"after others":     {state: queued(engine.Pending{After: []engine.ID{"deploy-prod-48bxt", "lint-22222"}}), want: "after deploy-prod, lint"},
		"after a named one": {
			state: queued(engine.Pending{After: []engine.ID{"deploy-prod-48bxt", "lint-22222"}, AfterNames: map[engine.ID]string{"deploy-prod-48bxt": "deploy prod"}}),
			want:  "after deploy prod, lint",
		},
		"of a scheduler": {state: queued(engine.Pending{Reason: "Resources"}), want: "Resources"},

		"crash loop": {
			state: engine.State{Status: engine.Queued, Runs: &engine.Runs{Count: 37, Failures: 38, NextAt: now.Add(52 * time.Second), Last: &refused}},
			want:  "failed 38×: connection refused · in 52s",
		},
		"first failure": {
			state: engine.State{Status: engine.Queued, Runs: &engine.Runs{Failures: 1, NextAt: now.Add(time.Second), Last: &refused}},
			want:  "failed: connection refused · in 1s",
		},
		"crash loop, running": {
			state: engine.State{Status: engine.Running, Runs: &engine.Runs{Count: 38, Failures: 38, Last: &refused}, Line: "connecting"},
			want:  "failed 38×: connection refused",
		},
		"runs again for a minute": {
			state: engine.State{Status: engine.Running, Runs: &engine.Runs{Count: 38, Last: &refused}, Line: "connected"},
			want:  "connected",
		},
		"restart after a success": {
			state: engine.State{Status: engine.Queued, Runs: &engine.Runs{NextAt: now.Add(time.Second), Last: &engine.Exit{Status: engine.Exited, Code: new(0)}}},
			want:  "restarts · in 1s",
		},
		"unreachable": {
			state: engine.State{Status: engine.Running, Link: engine.LinkUnreachable, StaleSince: now.Add(-18 * time.Minute), Line: "copied 12"},
			want:  "unreachable 18m; last: copied 12",
		},
		"connecting": {
			state:   engine.State{Status: engine.Running, Link: engine.LinkUnreachable, LinkError: "web1: connecting"},
			request: engine.Request{Host: "web1"}, want: "connecting",
		},
		"escape sequences": {state: engine.State{Status: engine.Running, Line: "a\x1b[31mb\u202ec\nd"}, want: "abc d"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			j := engine.Job{Request: tt.request, State: tt.state, Ports: tt.ports}
			if got := j.Summary(now); got != tt.want {
				t.Errorf("Summary() = %q, want %q", got, tt.want)
			}
		})
	}
}
