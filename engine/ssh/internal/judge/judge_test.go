package judge

import (
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/engine/ssh/internal/recipe"
	"github.com/hobjobs/hob/internal/jobdir"
)

func TestPausedJobEndsUnpaused(t *testing.T) {
	code := 137
	s := Look{
		Record: engine.Record{Job: engine.Job{State: engine.State{Status: engine.Running, Paused: true}}},
		Entry:  &recipe.Entry{ShellFacts: jobdir.ShellFacts{Code: &code}, Claimed: true, Ready: true, Over: true},
	}
	if o, sure := s.State(); sure != Certain || !o.Status.Finished() || o.Paused {
		t.Errorf("%s, paused %v", o.Status, o.Paused)
	}
}

// A job's run time comes from its host, even if the local clock is set meanwhile; it does not vary
// with the latency of answers.
func TestUptimeComesFromTheHost(t *testing.T) {
	at := time.Now()
	created := at.Add(-2 * time.Hour)
	look := func(up float64, before time.Duration, boot string) engine.State {
		ten := 10
		s := Look{
			Record: engine.Record{Job: engine.Job{
				Request: engine.Request{Host: "box", CreatedAt: created, Timeout: record.InMilliseconds(30 * time.Minute)},
				State: engine.State{
					Status: engine.Running, StartedUp: record.InMilliseconds(before),
					StartedAt: at.Add(-time.Hour - 10*time.Minute),
				},
			}},
			Entry: &recipe.Entry{
				ShellFacts: jobdir.ShellFacts{Started: &jobdir.ShellMoment{Date: 5, Up: 1000}}, Claimed: true, Ready: true, Live: "7",
				Job: &recipe.Process{PID: ten, Start: "7", Boot: boot}, Sizes: map[string]int64{"output.log": 1},
			},
			Clock: recipe.Clock{Boot: boot, Up: up, Date: 99}, At: at,
		}
		o, _ := s.State()
		return o
	}
	uptime := func(o engine.State) time.Duration {
		j := engine.Job{State: engine.State{Status: o.Status, StartedAt: o.StartedAt, StartedUp: record.InMilliseconds(o.StartedUp.Duration())}}
		return j.Uptime(at)
	}
	first := look(1600, 0, "b")
	if got := uptime(first); (got - 10*time.Minute).Abs() > time.Millisecond {
		t.Errorf("uptime %v, want 10 minutes", got)
	}
	if got := first.Deadline.Sub(at); (got - 20*time.Minute).Abs() > time.Second {
		t.Errorf("the deadline is in %v, want 20 minutes", got)
	}
	if next := look(1600.3, first.StartedUp.Duration(), "b"); next.StartedUp != first.StartedUp || !next.Deadline.Equal(first.Deadline) {
		t.Errorf("it wavers: %v and %v, %v and %v", first.StartedUp.Duration(), next.StartedUp.Duration(), first.Deadline, next.Deadline)
	}
	if got := uptime(look(1700, first.StartedUp.Duration(), "b")); (got - 700*time.Second).Abs() > time.Millisecond {
		t.Errorf("after this machine has slept: uptime %v, want 700 seconds", got)
	}
	for name, o := range map[string]engine.State{"no clock": look(-1, 0, "b"), "no boot": look(1600, 0, "-")} {
		if got := uptime(o); got != 70*time.Minute {
			t.Errorf("%s: uptime %v, want what the wall clock says", name, got)
		}
	}
}

// What is decided about a job of a host without a scheduler.
func TestStatesOfAHost(t *testing.T) {
	alive := recipe.Process{PID: 70, Start: "5", Boot: "now"}
	wrapper := recipe.Process{PID: 69, Start: "4", Boot: "now"}
	there := recipe.Process{PID: 70, Start: "5", Boot: "there"}
	code := 3
	runs := recipe.Entry{Token: "token", Claimed: true, Ready: true, Wrapper: &wrapper, Job: &alive, Live: "5", State: "S"}
	with := func(change func(*recipe.Entry)) recipe.Entry {
		e := runs
		change(&e)
		return e
	}
	ended := func(e *recipe.Entry) { e.Live, e.State = "", "" }
	for name, c := range map[string]struct {
		entry       recipe.Entry
		fresh       bool // the record has no start
		unconfirmed bool // the first listing, which confirms nothing
		want        engine.Status
		reason      engine.Reason
		sure        Certainty
	}{
		"runs":                              {entry: runs, want: engine.Running},
		"has not got its program yet":       {entry: with(func(e *recipe.Entry) { e.Ready = false }), fresh: true, want: engine.Starting},
		"its wrapper is about to start it":  {entry: recipe.Entry{Claimed: true, Wrapper: &alive, WrapLive: "5"}, fresh: true, want: engine.Starting},
		"claimed a moment ago":              {entry: recipe.Entry{Claimed: true}, fresh: true, want: engine.Starting},
		"no process yet":                    {entry: recipe.Entry{}, fresh: true, want: engine.Starting, sure: Unstarted},
		"no directory yet":                  {entry: recipe.Entry{Gone: true}, fresh: true, want: engine.Starting, sure: Unstarted},
		"directory was deleted":             {entry: recipe.Entry{Gone: true}, want: engine.Lost, reason: engine.ReasonHolderDied},
		"directory of another job":          {entry: with(func(e *recipe.Entry) { e.Token = "other" }), want: engine.Lost, reason: engine.ReasonHolderDied},
		"being stopped":                     {entry: with(func(e *recipe.Entry) { e.EndedBy = &jobdir.ShellRequest{Reason: "kill"} }), want: engine.Stopping},
		"exited":                            {entry: with(func(e *recipe.Entry) { e.Over, e.Code = true, &code }), want: engine.Exited, reason: engine.ReasonExit},
		"exit code that cannot be read":     {entry: with(func(e *recipe.Entry) { e.Over = true }), want: engine.Exited, reason: engine.ReasonExit},
		"could not start":                   {entry: recipe.Entry{Claimed: true, ShellFacts: jobdir.ShellFacts{Failed: "no"}}, fresh: true, want: engine.Failed, reason: engine.ReasonSpawn},
		"no process, not seen so before":    {entry: with(ended), unconfirmed: true, want: engine.Running, sure: Doubtful},
		"no process":                        {entry: with(ended), want: engine.Lost, reason: engine.ReasonHolderDied},
		"zombie":                            {entry: with(func(e *recipe.Entry) { e.State = "Z" }), want: engine.Lost, reason: engine.ReasonHolderDied},
		"another process has its pid":       {entry: with(func(e *recipe.Entry) { e.Live = "6" }), want: engine.Lost, reason: engine.ReasonHolderDied},
		"host was restarted":                {entry: with(func(e *recipe.Entry) { e.Job = &there }), want: engine.Lost, reason: engine.ReasonReboot},
		"another machine with the files":    {entry: with(func(e *recipe.Entry) { e.Place, e.Job = "id other pids", &there }), want: engine.Running, sure: Elsewhere},
		"processes of another pid space":    {entry: with(func(e *recipe.Entry) { e.Place = "id box others" }), want: engine.Running},
		"another machine recorded the end":  {entry: with(func(e *recipe.Entry) { e.Place, e.Over, e.Code = "id other pids", true, &code }), want: engine.Exited, reason: engine.ReasonExit},
		"wrapper has yet to record the end": {entry: with(func(e *recipe.Entry) { ended(e); e.WrapLive = "4" }), want: engine.Running},
	} {
		t.Run(name, func(t *testing.T) {
			at := time.Now()
			l := Look{
				Record:   engine.Record{Job: engine.Job{Request: engine.Request{Token: "token", Host: "box"}}},
				Entry:    &c.entry,
				Clock:    recipe.Clock{Boot: "now", Up: 100, Date: 1000, Place: "id box pids"},
				At:       at,
				Confirms: !c.unconfirmed,
			}
			l.Record.Job.State = engine.State{Status: engine.Running, StartedAt: at.Add(-time.Minute)}
			if c.fresh {
				l.Record.Job.State = engine.State{Status: engine.Starting}
			}
			o, sure := l.State()
			if o.Status != c.want || o.Exit.Reason != c.reason || sure != c.sure {
				t.Errorf("it is %s (%+v), certainty %d; want %s (%s), %d", o.Status, o.Exit, sure, c.want, c.reason, c.sure)
			}
		})
	}
}
