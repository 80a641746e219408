package engine_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/engine/record"
	"github.com/hobjobs/hob/internal/jobdir"
)

// The clock is set forward by a year while a job runs, so the recorded start is a year too early.
func TestUptimeIgnoresClockChange(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for name, off := range map[string]time.Duration{"ahead": -year, "back": year} {
		t.Run(name, func(t *testing.T) {
			e := open(t)
			x := create(t, e, engine.ExecutionSpec{})
			dir := filepath.Join(e.StateDir(), "jobs", string(x.ID()))
			st, err := jobdir.ReadState(dir)
			if err != nil {
				t.Fatal(err)
			}
			st.StartedAt = st.StartedAt.Add(off)
			st.StartedUp -= record.InMilliseconds(time.Minute) // started a minute ago
			if err := jobdir.WriteState(dir, &st); err != nil {
				t.Fatal(err)
			}
			j := get(t, open(t, engine.WithStateDir(e.StateDir())), x.ID())
			if up := j.Uptime(time.Now()); up < time.Minute || up > 10*time.Minute {
				t.Errorf("up %v after a minute", up)
			}
			if up := j.Uptime(time.Now().Add(time.Minute)); up < 2*time.Minute || up > 11*time.Minute {
				t.Errorf("up %v a minute later", up)
			}
		})
	}
}

func TestEndedAgo(t *testing.T) {
	e := open(t)
	x := create(t, e, engine.ExecutionSpec{})
	if err := x.Complete(engine.Exit{}); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	inBoot := get(t, e, x.ID())
	exit := inBoot.Exit
	inBoot.Exit.At = now.Add(-time.Hour)
	other := inBoot
	other.Exit.SinceBoot = 0
	if got := inBoot.EndedAgo(now.Add(time.Minute)); got < time.Minute || got > 10*time.Minute {
		t.Errorf("in this boot: %v, want about a minute", got)
	}
	if got := other.EndedAgo(now); got != time.Hour {
		t.Errorf("in another boot: %v", got)
	}
	// The list agrees, both read and from its index.
	for range 2 {
		if jobs := list(t, e, engine.Filter{}); len(jobs) != 1 || jobs[0].Exit.SinceBoot != exit.SinceBoot || jobs[0].Exit.Ran != exit.Ran || exit.Ran == 0 {
			t.Errorf("listed: %+v, want %+v", jobs, exit)
		}
	}
}
