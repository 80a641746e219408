package enginetest

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/hobjobs/hob/engine"
)

// lives returns the cases about what clients see of a job, and what the job survives.
func lives() []suiteCase {
	return []suiteCase{
		{"second engine finds the job and its end", func(s *suite) {
			s.need(!s.cfg.EndsWithEngine, "jobs that outlive the engine")
			s.need(s.caps.Stdin, "input")
			j := s.sh("echo one; read x; echo two; exit 6", func(spec *engine.Spec) { spec.Stdin = true })
			s.until(j.ID, func(out string) bool { return out == "one\n" })
			first := s.e
			s.e = s.engine()
			if err := first.Close(); err != nil { // does not end any job
				s.Errorf("close: %v", err)
			}
			got := s.get(j.ID)
			same := got.Leader.PID == j.Leader.PID && got.StartedAt.Equal(j.StartedAt)
			if got.Status != engine.Running || !same {
				s.Errorf("found %+v, was %+v", got, j)
			}
			s.done(s.e.Handle(j.ID).Write(s.ctx(), []byte("\n")))
			s.exits(j.ID, 6)
			s.printed(j.ID, "one\ntwo\n")
		}},
		{"end without a client is found later", func(s *suite) {
			s.need(!s.cfg.EndsWithEngine, "jobs that outlive the engine")
			j := s.sh("sleep 0.3; echo late; exit 4")
			s.done(s.e.Close())
			s.e = s.engine()
			s.exits(j.ID, 4)
			s.printed(j.ID, "late\n")
		}},
		{"job of a killed holder is lost", func(s *suite) {
			s.need(s.cfg.KillHolder != nil, "holder that a test can kill")
			j := s.sh("echo before; exec sleep 300")
			s.until(j.ID, func(out string) bool { return out == "before\n" })
			left, err := os.FindProcess(s.get(j.ID).Leader.PID)
			s.done(err)
			s.cfg.KillHolder(s.T, j)
			exit := s.wait(j.ID)
			_ = left.Kill() // it may have ended with its holder
			if exit.Status != engine.Lost || exit.Reason != engine.ReasonHolderDied {
				s.Errorf("ended as %s (%s)", exit.Status, exit.Reason)
			}
			if exit.Code != nil {
				s.Errorf("the exit code is %d, but nothing recorded one", *exit.Code)
			}
			s.printed(j.ID, "before\n")
		}},
		{"job of an unreachable host is not ended", func(s *suite) {
			s.need(s.cfg.Cut != nil, "connection that a test can cut")
			j := s.sh("sleep 300")
			heal := s.cfg.Cut(s.T)
			got := s.get(j.ID)
			if got.Status != engine.Running {
				s.Errorf("cut off, it is %s", got.Status)
			}
			if got.Link != engine.LinkUnreachable || got.StaleSince.IsZero() {
				s.Errorf("cut off, the link is %s since %v", got.Link, got.StaleSince)
			}
			if _, err := s.e.Handle(j.ID).Stop(s.ctx(), engine.StopOptions{}); !errors.Is(err, engine.ErrUnreachable) {
				s.Errorf("stop: %v", err)
			}
			heal()
			s.kill(j.ID)
		}},
		{"background is recorded once", func(s *suite) {
			j := s.sh("sleep 300")
			if j.Backgrounded {
				s.Error("backgrounded from the start")
			}
			for range 2 {
				if err := s.e.Handle(j.ID).Background(); err != nil {
					s.Error(err)
				}
			}
			if !s.get(j.ID).Backgrounded {
				s.Error("not recorded")
			}
			s.kill(j.ID)
			if err := s.e.Handle(j.ID).Background(); !errors.Is(err, engine.ErrNotRunning) {
				s.Errorf("background after the end: %v", err)
			}
			facts, err := s.e.History(s.ctx(), j.CreatedAt)
			if err != nil {
				s.Fatal(err)
			}
			count := 0
			for _, f := range facts {
				if f.Job.ID == j.ID && f.Kind == engine.EventBackgrounded {
					count++
				}
			}
			if count != 1 {
				s.Errorf("%d times in the history", count)
			}
		}},
		{"the end is reported to those that wait, and to those that ask later", func(s *suite) {
			j := s.sh("sleep 0.1; exit 8")
			for _, when := range []string{"live", "late"} {
				if x, err := s.e.Handle(j.ID).Wait(s.ctx()); err != nil || s.code(x) != 8 {
					s.Errorf("%s: %+v, %v", when, x, err)
				}
			}
		}},
		{"subscription delivers every fact once and the end last", func(s *suite) {
			before := s.sh("sleep 300")
			sub := s.e.Subscribe(engine.Filter{})
			defer sub.Close()
			first, err := sub.Next(s.ctx())
			if err != nil || len(first) != 1 {
				s.Fatalf("snapshot %+v, err %v", first, err)
			}
			if kind, id := first[0].Kind, first[0].Job.ID; kind != engine.EventCreated || id != before.ID {
				s.Fatalf("the snapshot reports that %s was %s", id, kind)
			}
			j := s.sh("echo one; sleep 0.2; echo two; exit 1")
			kinds, offset := s.factsOf(sub, j.ID)
			facts := strings.Join(kinds, " ")
			begins := "created started "
			if s.cfg.Queues { // why it waits may change first
				begins = "created "
			}
			if !strings.HasPrefix(facts, begins) || !strings.HasSuffix(facts, " exited") {
				s.Errorf("facts %q do not begin with %q and end with the exit", facts, begins)
			}
			for _, kind := range []string{"created", "started", "exited"} {
				if n := strings.Count(facts, kind); n > 1 {
					s.Errorf("%q comes %d times in %q", kind, n, facts)
				}
			}
			if !strings.Contains(facts, "output") || offset != 8 {
				s.Errorf("facts %q, last offset %d", facts, offset)
			}
		}},
		{"subscription sees jobs of other programs", func(s *suite) {
			sub := s.e.Subscribe(engine.Filter{})
			defer sub.Close()
			if _, err := sub.Next(s.ctx()); err != nil {
				s.Fatal(err)
			}
			mine := s.e
			s.e = s.engine()
			j := s.sh("echo hello; exit 0")
			s.wait(j.ID)
			s.need(!s.cfg.EndsWithEngine, "jobs that outlive the engine")
			s.e = mine
			if kinds, offset := s.factsOf(sub, j.ID); offset != 6 {
				s.Errorf("facts %q, last offset %d", kinds, offset)
			}
		}},
		{"cleared job can be restored", func(s *suite) {
			j := s.sh("echo kept")
			s.wait(j.ID)
			s.changed(s.e.Remove(s.ctx(), engine.RemoveOptions{}, j.ID))
			if _, err := s.e.Handle(j.ID).Facts(s.ctx()); !errors.Is(err, engine.ErrNotFound) {
				s.Errorf("cleared: %v", err)
			}
			s.changed(s.e.Undo(s.ctx()))
			s.printed(j.ID, "kept\n")
			running := s.sh("sleep 300")
			if _, err := s.e.Remove(s.ctx(), engine.RemoveOptions{}, running.ID); !errors.Is(err, engine.ErrRunning) {
				s.Errorf("clear a running job: %v", err)
			}
			s.changed(s.e.Remove(s.ctx(), engine.RemoveOptions{Stop: true}, running.ID))
		}},
		{"restart runs the same command again", func(s *suite) {
			j := s.sh("echo again")
			s.wait(j.ID)
			r, err := s.e.Handle(j.ID).Restart(s.ctx(), engine.RestartOptions{})
			if err != nil {
				s.Fatal(err)
			}
			s.wait(r.ID)
			s.printed(r.ID, "again\n")
			if r.RestartedFrom != j.ID || r.ID == j.ID {
				s.Errorf("%s was restarted as %+v", j.ID, r)
			}
		}},
		{"restart of a running job stops it first", func(s *suite) {
			j := s.sh("echo again; sleep 300")
			r, err := s.e.Handle(j.ID).Restart(s.ctx(), engine.RestartOptions{})
			if err != nil {
				s.Fatal(err)
			}
			if s.cfg.Queues {
				r = s.begun(r.ID)
			}
			old := s.get(j.ID)
			if old.Status != engine.Killed || old.Exit.Reason != engine.ReasonKill {
				s.Errorf("the old job is %s (%s)", old.Status, old.Exit.Reason)
			}
			if old.Exit.At.After(r.StartedAt) {
				s.Errorf("the old job ended at %v, the new one began at %v", old.Exit.At, r.StartedAt)
			}
			if r.RestartedFrom != j.ID || r.Status.Finished() {
				s.Errorf("the new job is %+v", r)
			}
			beside, err := s.e.Handle(r.ID).Restart(s.ctx(), engine.RestartOptions{Keep: true})
			if err != nil {
				s.Fatal(err)
			}
			if got := s.get(r.ID); got.Status != engine.Running {
				s.Errorf("after a restart with Keep the job is %s", got.Status)
			}
			s.changed(s.e.Remove(s.ctx(), engine.RemoveOptions{Stop: true}, r.ID, beside.ID))
		}},
		{"canceled wait leaves the job running", func(s *suite) {
			j := s.sh("sleep 300")
			ctx, cancel := context.WithCancel(s.ctx())
			cancel()
			if _, err := s.e.Handle(j.ID).Wait(ctx); !errors.Is(err, context.Canceled) {
				s.Errorf("err = %v", err)
			}
			if got := s.get(j.ID); got.Status != engine.Running {
				s.Errorf("status %s", got.Status)
			}
		}},
	}
}

// factsOf reads the subscription until the job has ended.
func (s *suite) factsOf(sub *engine.Subscription, id engine.ID) (kinds []string, offset int64) {
	s.Helper()
	for {
		batch, err := sub.Next(s.ctx())
		if err != nil {
			s.Fatalf("after %q: %v", kinds, err)
		}
		for _, ev := range batch {
			if ev.Job.ID != id {
				continue
			}
			kinds = append(kinds, string(ev.Kind))
			offset = max(offset, ev.Offset)
			if ev.Kind == engine.EventExited || ev.Kind == engine.EventLost {
				return kinds, offset
			}
		}
	}
}
