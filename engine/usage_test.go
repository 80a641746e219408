package engine

import (
	"testing"
	"time"

	"github.com/hobjobs/hob/internal/proc"
)

func TestVisibleUsageChanges(t *testing.T) {
	used := func(percent float64, mib int64, ports ...int) use {
		return use{&percent, mib << 20, ports}
	}
	for name, tc := range map[string]struct {
		before, now use
		want        bool
	}{
		"the first":         {use{}, used(0, 0), true},
		"the same":          {used(3, 100, 80), used(3, 100, 80), false},
		"a little more":     {used(3, 100), used(3.5, 104), false},
		"more time":         {used(3, 100), used(4, 100), true},
		"less time":         {used(3, 100), used(2, 100), true},
		"more memory":       {used(3, 100), used(3, 106), true},
		"less memory":       {used(3, 100), used(3, 94), true},
		"a port":            {used(3, 100), used(3, 100, 80), true},
		"another port":      {used(3, 100, 80), used(3, 100, 81), true},
		"no port any more":  {used(3, 100, 80), used(3, 100), true},
		"a little, of none": {used(0, 0), used(0.5, 0), false},
	} {
		if got := tc.now.differs(tc.before); got != tc.want {
			t.Errorf("%s: shows %v", name, got)
		}
	}
}

// Growth in small steps is eventually reported.
func TestSlowUsageGrowthIsReported(t *testing.T) {
	e, err := New(WithStateDir(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	k := &e.tracking
	k.trackers["job-22222"] = &tracker{k: k, id: "job-22222", job: Job{Request: Request{ID: "job-22222"}, State: State{Status: Running}}}
	idle, reports := 0.0, 0
	for rss := int64(100 << 20); rss < 200<<20; rss += rss / 25 {
		if k.measuredLocked([]Job{{Request: Request{ID: "job-22222"}, State: State{Status: Running}, CPU: &idle, RSS: rss}}) {
			reports++
		}
	}
	if reports < 5 {
		t.Errorf("twice as much memory is reported %d times", reports)
	}
}

// A program that measures many jobs, one after the other, does not keep their samples.
func TestOldSamplesAreDeleted(t *testing.T) {
	var g gauge
	now := time.Now()
	sampled := func(id ID, at time.Time) {
		g.fill(&Job{Request: Request{ID: id}}, []proc.Process{{PID: 1 << 30, State: 'R'}}, at)
	}
	sampled("old-22222", now.Add(-2*sampleLife))
	sampled("new-22222", now)
	g.forget(now)
	if len(g.samples) != 1 || g.samples["new-22222"] == nil {
		t.Errorf("left: %v", g.samples)
	}
}
