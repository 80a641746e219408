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
