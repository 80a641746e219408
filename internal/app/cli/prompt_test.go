package cli

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
)

func TestPromptCounts(t *testing.T) {
	running := engine.Job{State: engine.State{Status: engine.Running}}
	waiting, elsewhere, code := running, running, 1
	waiting.Waiting = true
	elsewhere.Waiting, elsewhere.Link = true, engine.LinkElsewhere
	blocked, atPrompt := running, running
	blocked.Program = &engine.Program{ProgramReport: engine.ProgramReport{State: engine.ProgramBlocked}}
	atPrompt.Program = &engine.Program{ProgramReport: engine.ProgramReport{State: engine.ProgramIdle}}
	queued := engine.Job{State: engine.State{Status: engine.Queued}}
	restarts := queued // waits for its next run
	restarts.Runs = &engine.Runs{NextAt: time.Unix(1, 0), Failures: 2}
	failed := engine.Job{State: engine.State{Status: engine.Exited, Exit: engine.Exit{Status: engine.Exited, Reason: engine.ReasonExit, Code: &code}}}
	for _, tt := range []struct {
		name       string
		jobs       []engine.Job
		text, json string
	}{
		{"none", nil, "", `{"needs_input":0,"running":0,"failed":0,"queued":0}`},
		{"one needs input", []engine.Job{waiting}, "1 running (1 needs input)", `{"needs_input":1,"running":1,"failed":0,"queued":0}`},
		{"a program is blocked", []engine.Job{blocked, atPrompt}, "2 running (1 needs input)", `{"needs_input":1,"running":2,"failed":0,"queued":0}`},
		{"all kinds", []engine.Job{running, failed, waiting, waiting}, "3 running (2 need input) 1 failed", `{"needs_input":2,"running":3,"failed":1,"queued":0}`},
		{"queued", []engine.Job{queued, running, restarts, failed}, "1 running 2 queued 1 failed", `{"needs_input":0,"running":1,"failed":1,"queued":2}`},
		{"of another machine", []engine.Job{elsewhere, running}, "1 running", `{"needs_input":0,"running":1,"failed":0,"queued":0}`},
	} {
		counts := countForPrompt(tt.jobs)
		if got := counts.String(); got != tt.text {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.text)
		}
		if got, err := json.Marshal(counts); err != nil || string(got) != tt.json {
			t.Errorf("%s: %s, %v, want %s", tt.name, got, err, tt.json)
		}
	}
}
