package enginetest

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hobjobs/hob/engine"
)

// endings returns the cases about how jobs start and end.
func endings() []suiteCase {
	return []suiteCase{
		{"exit codes are recorded", func(s *suite) {
			for script, want := range map[string]int{"true": 0, "exit 42": 42, "no-such-command-here": 127} {
				j := s.sh(script)
				exit := s.wait(j.ID)
				s.ended(exit, outcome{engine.Exited, engine.ReasonExit, want})
				got := s.get(j.ID)
				if got.Status != engine.Exited {
					s.Errorf("%q: listed as %s", script, got.Status)
				}
				if got.StartedAt.IsZero() || exit.At.Before(got.StartedAt.Add(-time.Second)) {
					s.Errorf("%q: started at %v, ended at %v", script, got.StartedAt, exit.At)
				}
			}
		}},
		{"death by a signal is recorded", func(s *suite) {
			exit := s.wait(s.sh("kill -KILL $$; sleep 60").ID)
			s.ended(exit, outcome{engine.Killed, engine.ReasonSignal, 137})
			if exit.EndedBy != "" {
				s.Errorf("ended by %q", exit.EndedBy)
			}
			if s.cfg.here() && exit.Signal != "SIGKILL" {
				s.Errorf("signal %q", exit.Signal)
			}
		}},
		{"exit code above 128 without a signal is an exit", func(s *suite) {
			for script, want := range map[string]int{"exit 143": 143, "exit 137": 137, "trap 'exit 143' TERM; kill -TERM $$; exit 1": 143} {
				exit := s.wait(s.sh(script).ID)
				s.ended(exit, outcome{engine.Exited, engine.ReasonExit, want})
				if exit.Signal != "" {
					s.Errorf("%q: signal %q", script, exit.Signal)
				}
			}
		}},
		{"missing command is a failed job", func(s *suite) {
			s.failsToStart(func(spec *engine.Spec) { spec.Script, spec.Command = "", []string{"/no/such/command"} }, 127)
		}},
		{"non-executable command is a failed job", func(s *suite) {
			s.need(s.cfg.here(), "file of this machine")
			path := filepath.Join(s.TempDir(), "plain")
			if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o600); err != nil {
				s.Fatal(err)
			}
			s.failsToStart(func(spec *engine.Spec) { spec.Script, spec.Command = "", []string{path} }, 126)
		}},
		{"missing directory is a failed job", func(s *suite) {
			exit := s.failsToStart(func(spec *engine.Spec) { spec.Dir = "/no/such/directory" }, 126)
			if !strings.Contains(exit.Error, "/no/such/directory") {
				s.Errorf("error %q does not name the directory", exit.Error)
			}
		}},
		{"stop lets the job clean up", func(s *suite) {
			j := s.sh(`trap 'echo cleaned; exit 3' TERM; echo ready; while :; do sleep 0.05; done`)
			s.until(j.ID, func(out string) bool { return strings.Contains(out, "ready") })
			r, err := s.e.Handle(j.ID).Stop(s.ctx(), engine.StopOptions{Grace: Patience / 2})
			if err != nil || r.Escalated || len(r.Survivors) > 0 {
				s.Errorf("report = %+v, err %v", r, err)
			}
			exit := s.get(j.ID).Exit
			s.ended(exit, outcome{engine.Killed, engine.ReasonKill, 3})
			if exit.EndedBy != "suite" {
				s.Errorf("ended by %q", exit.EndedBy)
			}
			if out := s.output(j.ID, engine.StreamOutput); !strings.Contains(out, "cleaned") {
				s.Errorf("output %q", out)
			}
		}},
		{"stop sends the signal that the job asks for", func(s *suite) {
			j := s.sh(`trap 'echo interrupted; exit 4' INT; trap '' TERM; echo ready; while :; do sleep 0.05; done`,
				func(spec *engine.Spec) { spec.StopSignal = "SIGINT" })
			s.until(j.ID, func(out string) bool { return strings.Contains(out, "ready") })
			r, err := s.e.Handle(j.ID).Stop(s.ctx(), engine.StopOptions{Grace: Patience / 2})
			if err != nil || r.Escalated {
				s.Errorf("report = %+v, err %v", r, err)
			}
			s.ended(s.get(j.ID).Exit, outcome{engine.Killed, engine.ReasonKill, 4})
		}},
		{"a stop command ends the job", func(s *suite) {
			s.need(s.cfg.here() && s.caps.StopCommand, "stop command")
			end := filepath.Join(s.TempDir(), "end")
			j := s.sh(`echo ready; until [ -e "$END" ]; do sleep 0.05; done; cat "$END"`, func(spec *engine.Spec) {
				spec.StopCommand = `echo over >"$END"`
				spec.Env = map[string]string{"END": end}
			})
			s.until(j.ID, func(out string) bool { return strings.Contains(out, "ready") })
			r, err := s.e.Handle(j.ID).Stop(s.ctx(), engine.StopOptions{Grace: Patience / 2})
			if err != nil || r.Escalated {
				s.Errorf("report = %+v, err %v", r, err)
			}
			s.ended(s.get(j.ID).Exit, outcome{engine.Killed, engine.ReasonKill, 0})
			if out := s.output(j.ID, engine.StreamOutput); !strings.Contains(out, "over") {
				s.Errorf("output %q", out)
			}
		}},
		{"a failing health check is reported while the job runs", func(s *suite) {
			s.need(s.cfg.here() && s.caps.Health, "health check")
			j := s.sh("sleep 300", func(spec *engine.Spec) {
				spec.Health.Check, spec.Health.Failures = "echo no; exit 7", 1
			})
			ctx := s.ctx()
			facts, err := s.e.Handle(j.ID).Facts(ctx)
			for err == nil && !facts.Health.Is(engine.Unhealthy) {
				time.Sleep(10 * time.Millisecond)
				facts, err = s.e.Handle(j.ID).Facts(ctx)
			}
			s.done(err)
			if facts.Status != engine.Running || facts.Health.Output != "no (exit status 7)" {
				s.Errorf("%s, health %+v", facts.Status, facts.Health)
			}
		}},
		{"a timeout sends the signal that the job asks for", func(s *suite) {
			j := s.sh(`trap 'exit 4' INT; trap '' TERM; while :; do sleep 0.05; done`, func(spec *engine.Spec) {
				spec.StopSignal, spec.Timeout, spec.Grace = "SIGINT", 2*time.Second, Patience/2
			})
			exit := s.wait(j.ID)
			if early := s.code(exit) == 130; !early { // otherwise the machine was so busy that there was no trap yet
				s.ended(exit, outcome{engine.Killed, engine.ReasonTimeout, 4})
			}
		}},
		{"ignored stop escalates to a kill", func(s *suite) {
			j := s.sh(`trap '' TERM HUP; echo ready; while :; do sleep 0.05; done`)
			s.until(j.ID, func(out string) bool { return strings.Contains(out, "ready") })
			r, err := s.e.Handle(j.ID).Stop(s.ctx(), engine.StopOptions{Grace: 200 * time.Millisecond})
			if err != nil || !r.Escalated {
				s.Errorf("report = %+v, err %v", r, err)
			}
			if got := s.get(j.ID); got.Status != engine.Killed || s.code(got.Exit) != 137 {
				s.Errorf("job = %+v", got.Exit)
			}
		}},
		{"kill ends the whole tree at once", func(s *suite) {
			j := s.sh(`trap '' TERM; (trap '' TERM; echo child; sleep 300) & sleep 300`)
			s.until(j.ID, func(out string) bool { return strings.Contains(out, "child") })
			r, err := s.e.Handle(j.ID).Stop(s.ctx(), engine.StopOptions{Grace: engine.KillNow})
			if err != nil || len(r.Survivors) > 0 {
				s.Errorf("report = %+v, err %v", r, err)
			}
			got := s.get(j.ID)
			if got.Status != engine.Killed || len(got.Exit.Survivors) > 0 {
				s.Errorf("job = %+v", got.Exit)
			}
		}},
		{"second kill succeeds, kill of an exited job fails", func(s *suite) {
			j := s.sh("sleep 300")
			for range 2 {
				s.kill(j.ID)
			}
			if got := s.get(j.ID); got.Status != engine.Killed {
				s.Errorf("job = %+v", got)
			}
			done := s.sh("true")
			s.wait(done.ID)
			if _, err := s.e.Handle(done.ID).Stop(s.ctx(), engine.StopOptions{Grace: engine.KillNow}); !errors.Is(err, engine.ErrNotRunning) {
				s.Errorf("after the end: %v", err)
			}
		}},
		{"signal reaches the job", func(s *suite) {
			j := s.sh(`trap 'echo hup' HUP; trap 'exit 9' USR1; echo ready; while :; do sleep 0.05; done`)
			s.until(j.ID, func(out string) bool { return strings.Contains(out, "ready") })
			s.done(s.e.Handle(j.ID).Signal(s.ctx(), "SIGHUP"))
			s.until(j.ID, func(out string) bool { return strings.Contains(out, "hup") })
			s.done(s.e.Handle(j.ID).Signal(s.ctx(), "SIGUSR1"))
			s.ended(s.wait(j.ID), outcome{engine.Exited, engine.ReasonExit, 9})
		}},
		{"exit by a sent signal names the sender", func(s *suite) {
			j := s.sh("echo ready; exec sleep 300")
			s.until(j.ID, func(out string) bool { return strings.Contains(out, "ready") })
			s.done(s.e.Handle(j.ID).Signal(s.ctx(), "SIGTERM"))
			exit := s.wait(j.ID)
			s.ended(exit, outcome{engine.Killed, engine.ReasonSignal, 143})
			if exit.EndedBy == "" {
				s.Error("the sender of the signal is not named")
			}
		}},
		{"timeout ends the job and is recorded", func(s *suite) {
			exit := s.wait(s.sh("sleep 300", func(spec *engine.Spec) { spec.Timeout = 300 * time.Millisecond }).ID)
			if exit.Status != engine.Killed || exit.Reason != engine.ReasonTimeout {
				s.Errorf("exit = %+v", exit)
			}
		}},
		{"exit leaves background processes running and lists them", func(s *suite) {
			j := s.sh("sleep 300 & echo $!; exit 0")
			s.ended(s.wait(j.ID), outcome{engine.Exited, engine.ReasonExit, 0})
			s.until(j.ID, func(out string) bool {
				pid, err := strconv.Atoi(strings.TrimSpace(out))
				if err != nil {
					return false
				}
				left, err := os.FindProcess(pid)
				s.done(err)
				s.Cleanup(func() { _ = left.Kill() }) // it may have ended
				return true
			})
			s.need(s.cfg.here(), "list of survivors")
			named := false
			for range 1200 { // the search for survivors continues after the end is reported
				if got := s.get(j.ID); len(got.Exit.Survivors) > 0 {
					named = strings.Contains(got.Exit.Survivors[0].Command, "sleep")
					break
				}
				<-time.After(50 * time.Millisecond)
			}
			if !named {
				s.Errorf("survivors are not named: %+v", s.get(j.ID).Exit.Survivors)
			}
			s.kill(j.ID)
			if got := s.get(j.ID); got.Status != engine.Exited {
				s.Errorf("after that the status is %s", got.Status)
			}
		}},
	}
}

func (s *suite) failsToStart(adapt func(*engine.Spec), code int) engine.Exit {
	s.Helper()
	j := s.sh("true", adapt)
	exit := s.wait(j.ID)
	s.ended(exit, outcome{engine.Failed, engine.ReasonSpawn, code})
	if got := s.get(j.ID); got.Status != engine.Failed || exit.Error == "" {
		s.Errorf("it is listed as %s, its error is %q", got.Status, exit.Error)
	}
	return exit
}

// outcome is what a case expects of an end. Backends may know more about it.
type outcome struct {
	status engine.Status
	reason engine.Reason
	code   int
}

// ended reports an end that is not as wanted.
func (s *suite) ended(exit engine.Exit, want outcome) {
	s.Helper()
	if got := (outcome{exit.Status, exit.Reason, s.code(exit)}); got != want || exit.At.IsZero() {
		s.Errorf("ended as %+v at %v, want %+v", got, exit.At, want)
	}
}
