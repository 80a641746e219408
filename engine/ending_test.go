package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/record"
)

func TestEnding(t *testing.T) {
	code := func(n int) *int { return &n }
	tests := map[string]struct {
		exit engine.Exit
		want string
	}{
		"success":         {engine.Exit{Status: engine.Exited, Code: code(0), Reason: engine.ReasonExit}, "exited 0"},
		"code":            {engine.Exit{Status: engine.Exited, Code: code(127), Reason: engine.ReasonExit}, "exited 127 (command not found)"},
		"signal":          {engine.Exit{Status: engine.Killed, Signal: "SIGSEGV", Core: true, Reason: engine.ReasonSignal}, "killed by SIGSEGV (invalid memory access), core dumped"},
		"stopped":         {engine.Exit{Status: engine.Killed, Signal: "SIGTERM", EndedBy: "ui", Reason: engine.ReasonKill}, "stopped by you (SIGTERM)"},
		"by command":      {engine.Exit{Status: engine.Killed, Signal: "SIGTERM", EndedBy: "cli", Reason: engine.ReasonKill}, "stopped by you (SIGTERM)"},
		"by an agent":     {engine.Exit{Status: engine.Killed, Signal: "SIGTERM", EndedBy: "some-agent", Reason: engine.ReasonKill}, "stopped by some-agent (SIGTERM)"},
		"by you in queue": {engine.Exit{Status: engine.Killed, EndedBy: "cli", Reason: engine.ReasonKill}, "stopped by you before it started"},
		"by Slurm":        {engine.Exit{Status: engine.Killed, EndedBy: "slurm", Signal: "SIGTERM", Reason: engine.ReasonKill}, "stopped by Slurm (SIGTERM)"},
		"sent by you":     {engine.Exit{Status: engine.Killed, Signal: "SIGKILL", EndedBy: "cli", Reason: engine.ReasonSignal}, "killed by SIGKILL, sent by you"},
		"Slurm's limit":   {engine.Exit{Status: engine.Killed, EndedBy: "slurm", Reason: engine.ReasonTimeout}, "timed out at the time limit of Slurm"},
		"lost on a host":  {engine.Exit{Status: engine.Lost, Error: "its directory on the host no longer exists", Reason: engine.ReasonHolderDied}, "lost: its directory on the host no longer exists"},
		"virtual":         {engine.Exit{Status: engine.Failed, Error: "no route", Reason: engine.ReasonExit}, "failed: no route"},
		"timeout":         {engine.Exit{Status: engine.Killed, Signal: "SIGTERM", Reason: engine.ReasonTimeout}, "timed out after 1m (SIGTERM)"},
		"spawn":           {engine.Exit{Status: engine.Failed, Code: code(127), Error: "no such file", Reason: engine.ReasonSpawn}, "could not be started: no such file"},
		"reboot":          {engine.Exit{Status: engine.Lost, Reason: engine.ReasonReboot}, "lost: the machine restarted; output until then is kept"},
		"holder":          {engine.Exit{Status: engine.Lost, Reason: engine.ReasonHolderDied}, "lost: its supervisor process died; output until then is kept"},
		"lost in queue":   {engine.Exit{Status: engine.Lost, Reason: engine.ReasonHolderDied}, "lost: its supervisor process died"},
		"handled":         {engine.Exit{Status: engine.Killed, Code: code(0), EndedBy: "cli", Reason: engine.ReasonKill}, "stopped by you (exited 0)"},
		"from outside":    {engine.Exit{Status: engine.Killed, Signal: "SIGKILL", Reason: engine.ReasonSignal}, "killed by SIGKILL (not by hob: out of memory?)"},
		"unknown end":     {engine.Exit{Status: engine.Exited, Reason: engine.ReasonExit}, "ended, exit code unknown"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			j := engine.Job{Request: engine.Request{Timeout: record.InMilliseconds(time.Minute)}, State: engine.State{Status: tt.exit.Status, Exit: tt.exit}}
			if !strings.HasSuffix(name, "in queue") {
				j.StartedAt = time.Unix(1, 0)
			}
			if got := j.Ending(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
	if got := (engine.Job{State: engine.State{Status: engine.Running}}).Ending(); got != "" {
		t.Errorf("of a running job: %q", got)
	}
}
