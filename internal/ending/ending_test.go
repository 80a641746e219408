package ending

import (
	"testing"
	"time"

	"github.com/hobjobs/hob/engine/record"
)

func TestOfLostJob(t *testing.T) {
	one := []record.Process{{PID: 12, Command: "node server.js"}}
	for name, tc := range map[string]struct {
		started bool
		left    []record.Process
		text    string // the error
		want    string
	}{
		"nothing lives":      {true, nil, "", "lost: its supervisor process died; output until then is kept"},
		"a process lives":    {true, one, "", "lost: its supervisor process died; one of its processes still runs"},
		"processes live":     {true, append(one, record.Process{PID: 13}), "", "lost: its supervisor process died; 2 of its processes still run"},
		"lost while waiting": {false, nil, "it was never started", "lost: it was never started"},
	} {
		t.Run(name, func(t *testing.T) {
			s := record.State{Status: record.Lost, Exit: record.Exit{Status: record.Lost, Reason: record.ReasonHolderDied, Survivors: tc.left, Error: tc.text}}
			if tc.started {
				s.StartedAt = time.Unix(1, 0)
			}
			if got := Of(&record.Request{}, &s); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// A reason may be missing, unknown or contradict the status in a record that is damaged or was
// written by a later version. Every end has a description nevertheless.
func TestOfUnknownReason(t *testing.T) {
	code := 3
	for name, tc := range map[string]struct {
		exit record.Exit
		want string
	}{
		"only a code":           {record.Exit{Status: record.Exited, Code: &code}, "exited 3"},
		"only a status":         {record.Exit{Status: record.Exited}, "ended, exit code unknown"},
		"a new reason":          {record.Exit{Status: record.Exited, Code: &code, Reason: "new"}, "exited 3"},
		"killed":                {record.Exit{Status: record.Killed}, "ended, exit code unknown"},
		"killed by a signal":    {record.Exit{Status: record.Killed, Signal: "SIGKILL", EndedBy: "cli"}, "killed by SIGKILL, sent by you"},
		"failed":                {record.Exit{Status: record.Failed}, "failed"},
		"failed with an error":  {record.Exit{Status: record.Failed, Error: "no such file"}, "failed: no such file"},
		"lost":                  {record.Exit{Status: record.Lost, Reason: "exit"}, "lost"},
		"a dependency, no text": {record.Exit{Status: record.Failed, Reason: record.ReasonDependency}, "was not started: a job that it had to follow was not successful"},
	} {
		t.Run(name, func(t *testing.T) {
			s := record.State{Status: tc.exit.Status, Exit: tc.exit}
			if got := Of(&record.Request{}, &s); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
