package local_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
)

// A job that the kernel kills because its control group has no memory left is recorded as such.
func TestOutOfMemoryIsRecorded(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{PTY: true, Command: []string{"sh", "-c", `echo up; read x; x=a; while :; do x=$x$x; done`}})
	s.printed(t, "up")
	intoSmallGroup(t, s.state(t).Leader.PID)
	if err := s.run.Write(t.Context(), []byte("\n")); err != nil {
		t.Fatal(err)
	}
	exit := s.wait(t)
	if exit.Signal != "SIGKILL" || exit.EndedBy != "" || exit.Reason != engine.ReasonSignal {
		t.Fatalf("exit %+v", exit)
	}
	if exit.OOMKills != 1 {
		t.Errorf("%d processes were killed for memory, want 1", exit.OOMKills)
	}
	if ending := (engine.Job{State: engine.State{Status: exit.Status, Exit: exit}}).Ending(); !strings.Contains(ending, "out of memory") || strings.Contains(ending, "?") {
		t.Errorf("it is described as %s", strconv.Quote(ending))
	}
}
