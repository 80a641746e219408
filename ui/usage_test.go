package ui

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// The engine measures only jobs that are on screen: those in visible rows, all of them while they are sorted by
// usage, and none while a job is attached.
func TestOnlyJobsOnScreenAreMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.jobs = nil
		const all = 100
		for i := range all {
			eng.jobs = append(eng.jobs, running(fmt.Sprintf("job-%03d", i), "sleep 1000", time.Duration(i)*time.Minute))
		}
		s := newHarness(t, 120, 30, eng)
		first, last := eng.jobs[0].ID, eng.jobs[all-1].ID
		if m := eng.sub.measured; len(m) > 30 || !slices.Contains(m, first) {
			t.Errorf("at first: %v", m)
		}
		s.press("G")
		if m := eng.sub.measured; len(m) > 30 || !slices.Contains(m, last) || slices.Contains(m, first) {
			t.Errorf("at the end of the list: %v", m)
		}
		for range 10 {
			if s.pane.list.Order() == "by CPU" {
				break
			}
			s.press("S")
		}
		if m := eng.sub.measured; len(m) != all {
			t.Errorf("sorted by usage: %d jobs", len(m))
		}
		s.press("a")
		if m := eng.sub.measured; s.pane.fore.attached() == nil || len(m) != 0 {
			t.Errorf("attached: %v", m)
		}
	})
}
