//go:build linux || darwin

package local_test

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/local"
	"github.com/hobjobs/hob/internal/jobdir"
	"github.com/hobjobs/hob/internal/proc"
)

// pids waits until n lines "pid N" were printed and returns those processes.
func (s started) pids(t testing.TB, n int) []proc.Identity {
	t.Helper()
	var ids []proc.Identity
	eventually(t, "pids", func() bool {
		ids = nil
		for line := range strings.Lines(s.output(t)) {
			if text, ok := strings.CutPrefix(strings.TrimSpace(line), "pid "); ok {
				pid, err := strconv.Atoi(text)
				if err != nil {
					continue
				}
				if id, err := proc.IdentityOf(pid); err == nil {
					ids = append(ids, id)
				}
			}
		}
		return len(ids) == n
	})
	return ids
}

func TestStop(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		script    string
		processes int
		grace     time.Duration
		escalated bool
		code      int
	}{
		{"polite", "echo pid $$; exec sleep 1000", 1, time.Minute, false, 143},
		{"handled", "trap 'exit 9' TERM; echo pid $$; while :; do sleep 0.01; done", 1, time.Minute, false, 9},
		{"children", "sleep 1000 & echo pid $!; sleep 1000 & echo pid $!; echo pid $$; wait", 3, time.Minute, false, 143},
		{"ignored", "trap '' TERM; echo pid $$; while :; do sleep 0.01; done", 1, 100 * time.Millisecond, true, 137},
		{"ignored with hang-up by three", "trap '' TERM HUP; for i in 1 2 3; do (sh -c 'echo pid $$; while :; do sleep 0.01; done') & done; echo pid $$; while :; do sleep 0.01; done", 4, 100 * time.Millisecond, true, 137},
		{"own sessions", "trap '' TERM HUP; for i in 1 2 3; do setsid sh -c 'echo pid $$; while :; do sleep 0.01; done' & done; echo pid $$; while :; do sleep 0.01; done", 4, 100 * time.Millisecond, true, 137},
		{"double fork", "trap '' TERM HUP; (setsid sh -c 'setsid sh -c \"echo pid \\$\\$; while :; do sleep 0.01; done\" & exit' &) ; echo pid $$; while :; do sleep 0.01; done", 2, 100 * time.Millisecond, true, 137},
		{"the leader goes first", "for i in 1 2; do setsid sh -c 'trap \"\" TERM HUP; echo pid $$; while :; do sleep 0.01; done' & done; echo pid $$; exec sleep 1000", 3, 3 * time.Second, true, 143},
		{"at once", "trap '' TERM; echo pid $$; while :; do sleep 0.01; done", 1, -1, true, 137},
	}
	for _, tt := range tests {
		for _, pty := range []bool{true, false} {
			t.Run(tt.name+"/pty "+strconv.FormatBool(pty), func(t *testing.T) {
				t.Parallel()
				p := newPlace(t)
				s := p.start(t, engine.Spec{Script: tt.script, PTY: pty})
				ids := s.pids(t, tt.processes)
				report, err := s.run.Stop(t.Context(), engine.StopOptions{Grace: tt.grace, By: "test"})
				if err != nil {
					t.Fatal(err)
				}
				for _, id := range ids {
					if proc.Alive(id) {
						t.Errorf("process %d still runs", id.PID)
					}
				}
				// A stop that took no time had nothing to do.
				if report.Took <= 0 || report.Escalated != tt.escalated && tt.grace > 0 || len(report.Survivors) > 0 {
					t.Errorf("report %+v", report)
				}
				exit := s.wait(t)
				if exit.Status != engine.Killed || exit.Reason != engine.ReasonKill || exit.EndedBy != "test" || *exit.Code != tt.code {
					t.Errorf("exit %+v, code %d", exit, *exit.Code)
				}
				if n, ok := jobdir.ReadExitCode(s.dir); !ok || n != tt.code {
					t.Errorf("exit_code %d, %v", n, ok)
				}
			})
		}
	}
}

func TestStopReportsProgress(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Script: "trap '' TERM; echo pid $$; while :; do sleep 0.01; done", PTY: true})
	s.pids(t, 1)
	done := make(chan error, 1)
	go func() {
		_, err := s.run.Stop(t.Context(), engine.StopOptions{Grace: time.Hour, By: "first"})
		done <- err
	}()
	eventually(t, "stopping", func() bool {
		o := p.observe(t, s.dir)
		return o.Status == engine.Stopping && time.Until(o.StopDeadline()) > 50*time.Minute
	})
	if _, err := s.run.Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow, By: "second"}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("the first stop: %v", err)
	}
	if exit := s.wait(t); exit.EndedBy != "first" {
		t.Errorf("ended by %q", exit.EndedBy)
	}
}

func TestStopInteractiveShell(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Command: []string{"bash", "--norc", "-i"}, PTY: true})
	if err := s.run.Write(t.Context(), []byte("unset HISTFILE; echo; echo pid $$\n")); err != nil {
		t.Fatal(err)
	}
	s.pids(t, 1)
	report, err := s.run.Stop(t.Context(), engine.StopOptions{Grace: time.Minute, By: "test"})
	if err != nil || report.Escalated {
		t.Errorf("report %+v, %v", report, err)
	}
}

func TestStopKeepsDaemons(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Script: "setsid sh -c 'echo pid $$; exec sleep 1000' & sleep 1000", PTY: true})
	daemon := s.pids(t, 1)[0]
	if _, err := s.run.Stop(t.Context(), engine.StopOptions{By: "test", KeepDaemons: true}); err != nil {
		t.Fatal(err)
	}
	if !proc.Alive(daemon) {
		t.Error("the daemon was ended")
	}
	exit := s.wait(t)
	if len(exit.Survivors) != 1 || exit.Survivors[0].PID != daemon.PID {
		t.Errorf("survivors %v", exit.Survivors)
	}
	if _, err := s.run.Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow, By: "test"}); err != nil {
		t.Errorf("stop of what was left: %v", err)
	}
	if proc.Alive(daemon) {
		t.Error("the daemon still runs")
	}
}

func TestStopOfEndedJob(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.start(t, engine.Spec{Script: "true"})
	s.wait(t)
	if _, err := s.run.Stop(t.Context(), engine.StopOptions{By: "test"}); !errors.Is(err, engine.ErrNotRunning) {
		t.Errorf("stop: %v", err)
	}
}

// Once its parent has ended, only the record of the end proves that such a process belongs to the
// job.
func TestStopEndsRecordedSurvivors(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]local.Option{"a holder": nil, "in process": {local.InProcess()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, opts...)
			s := p.start(t, engine.Spec{Script: "env -i sleep 1000 & exit 0"})
			s.wait(t)
			var left []engine.Process
			eventually(t, "what it left is named", func() bool {
				left = p.observe(t, s.dir).Exit.Survivors
				return len(left) > 0
			})
			if _, err := s.run.Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow}); err != nil {
				t.Errorf("stop: %v", err)
			}
			for _, one := range left {
				if proc.Alive(proc.Identity{PID: one.PID, Start: one.Start}) {
					t.Errorf("%+v still runs", one)
				}
			}
		})
	}
}

func TestNestedJobLivesOn(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l, err := p.make(engine.Spec{Command: []string{"sh", "-c", `"$0"; echo pid $$; sleep 1000`, exe}})
	if err != nil {
		t.Fatal(err)
	}
	l.Env = append(l.Env, "HOB_TEST_CLIENT=one", "HOB_TEST_ROOT="+p.root.Path(), "HOB_TEST_SCRIPT=echo inner; sleep 1000")
	outer := p.launch(t, l)
	outer.pids(t, 1)
	inner := started{dir: strings.SplitN(outer.output(t), "\n", 2)[0]}
	inner.printed(t, "inner")
	if _, err := outer.run.Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow, By: "test"}); err != nil {
		t.Fatal(err)
	}
	st := inner.state(t)
	if !proc.Alive(st.Leader) || !proc.Alive(st.Holder) {
		t.Error("the inner job has gone with the outer one")
	}
	run, err := p.b.Open(t.Context(), engine.Record{ID: "inner", Dir: inner.dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Stop(t.Context(), engine.StopOptions{Grace: engine.KillNow, By: "test"}); err != nil {
		t.Error(err)
	}
}

func TestSignal(t *testing.T) {
	t.Parallel()
	for place, opts := range map[string][]local.Option{"holder": nil, "this program": {local.InProcess()}} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			testSignal(t, newPlace(t, opts...))
		})
	}
}

func testSignal(t *testing.T, p *place) {
	s := p.start(t, engine.Spec{Script: "trap 'echo caught' USR1; echo ready; while :; do read -r x; done", PTY: true})
	s.printed(t, "ready")
	if err := s.run.Signal(t.Context(), "SIGUSR1", "test"); err != nil {
		t.Fatal(err)
	}
	s.printed(t, "caught")
	if err := s.run.Signal(t.Context(), "STOP", "test"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "paused", func() bool { return p.observe(t, s.dir).Paused })
	if err := s.run.Signal(t.Context(), "CONT", "test"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "going on", func() bool { return !p.observe(t, s.dir).Paused })
	if err := s.run.Signal(t.Context(), "SIGNONSENSE", "test"); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("unknown signal: %v", err)
	}
	if err := s.run.Signal(t.Context(), "KILL", "test"); err != nil {
		t.Fatal(err)
	}
	exit := s.wait(t)
	if exit.Status != engine.Killed || exit.Reason != engine.ReasonSignal || exit.Signal != "SIGKILL" || *exit.Code != 137 || exit.EndedBy != "test" {
		t.Errorf("exit %+v", exit)
	}
}
