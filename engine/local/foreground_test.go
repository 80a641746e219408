//go:build linux || darwin

package local_test

import (
	"strings"
	"testing"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/internal/testtool"
)

func TestNormalEndKillsNoProcesses(t *testing.T) {
	t.Parallel()
	testtool.Need(t, "ps", "grep")
	for _, tt := range []struct {
		name string
		spec engine.Spec
	}{
		{"terminal", engine.Spec{PTY: true}},
		{"terminal for input alone", engine.Spec{TTYStdin: true}},
		{"no terminal", engine.Spec{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			spec := tt.spec
			// Survivors are searched for when the leader ends: the process is sleep by then.
			spec.Script = `sleep 1000 & until ps -o args= -p $! | grep -q '^sleep'; do :; done; echo started; exit 3`
			s := p.start(t, spec)
			exit := s.wait(t)
			if exit.Status != engine.Exited || *exit.Code != 3 || len(exit.Survivors) != 1 || exit.Survivors[0].Command != "sleep 1000" {
				t.Errorf("exit %+v", exit)
			}
			if got := s.output(t); strings.TrimSpace(got) != "started" {
				t.Errorf("output %q", got)
			}
			report, err := s.run.Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow, By: "test"})
			if err != nil || len(report.Survivors) > 0 {
				t.Errorf("stop of the survivor: %+v, %v", report, err)
			}
		})
	}
}

func TestTerminalStopIsIgnoredWithoutShell(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{PTY: true, Script: "echo up; while read -r x; do echo got $x; done"})
	s.printed(t, "up")
	if err := s.run.Write(t.Context(), []byte("\x1a")); err != nil {
		t.Fatal(err)
	}
	s.printed(t, "^Z")
	if err := s.run.Write(t.Context(), []byte("word\n\x04")); err != nil {
		t.Fatal(err)
	}
	s.printed(t, "got word")
	if exit := s.wait(t); exit.Status != engine.Exited {
		t.Errorf("exit %+v", exit)
	}
}

func TestInterruptsReachOnlyTheJob(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{PTY: true, Script: "trap 'echo interrupted; exit 9' INT; echo up; while :; do sleep 0.02; done"})
	s.printed(t, "up")
	if err := s.run.Write(t.Context(), []byte("\x03")); err != nil {
		t.Fatal(err)
	}
	if exit := s.wait(t); exit.Status != engine.Exited || *exit.Code != 9 {
		t.Errorf("exit %+v", exit)
	}
}
