package engine_test

import (
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
)

func TestEnding(t *testing.T) {
	code := func(n int) *int { return &n }
	tests := map[string]struct {
		exit engine.Exit
		want string
	}{
		"success":     {engine.Exit{Status: engine.Exited, Code: code(0), Reason: engine.ReasonExit}, "exit code 0: success"},
		"code":        {engine.Exit{Status: engine.Exited, Code: code(127), Reason: engine.ReasonExit}, "exit code 127: a command was not found"},
		"signal":      {engine.Exit{Status: engine.Killed, Signal: "SIGSEGV", Core: true, Reason: engine.ReasonSignal}, "ended by SIGSEGV: invalid memory access, core dumped"},
		"stopped":     {engine.Exit{Status: engine.Killed, Signal: "SIGTERM", EndedBy: "ui", Reason: engine.ReasonKill}, "ended by SIGTERM, stopped from the panes"},
		"by command":  {engine.Exit{Status: engine.Killed, Signal: "SIGTERM", EndedBy: "cli", Reason: engine.ReasonKill}, "ended by SIGTERM, stopped from the command line"},
		"by an agent": {engine.Exit{Status: engine.Killed, Signal: "SIGTERM", EndedBy: "some-agent", Reason: engine.ReasonKill}, "ended by SIGTERM, stopped by some-agent"},
		"timeout":     {engine.Exit{Status: engine.Killed, Signal: "SIGTERM", Reason: engine.ReasonTimeout}, "ended by SIGTERM, its time was over (1m)"},
		"spawn":       {engine.Exit{Status: engine.Failed, Code: code(127), Error: "no such file", Reason: engine.ReasonSpawn}, "could not be started: no such file"},
		"reboot":      {engine.Exit{Status: engine.Lost, Reason: engine.ReasonReboot}, "lost: the machine restarted; the output up to then is there"},
		"holder":      {engine.Exit{Status: engine.Lost, Reason: engine.ReasonHolderDied}, "lost: its holder died; the output up to then is there"},
		"unknown end": {engine.Exit{Status: engine.Exited, Reason: engine.ReasonExit}, "ended, its exit code is not known"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			j := engine.Job{Request: engine.Request{Timeout: engine.InMilliseconds(time.Minute)}, State: engine.State{Status: tt.exit.Status, Exit: tt.exit}}
			if got := j.Ending(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
	if got := (engine.Job{State: engine.State{Status: engine.Running}}).Ending(); got != "" {
		t.Errorf("of a running job: %q", got)
	}
}
