package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// selectedLine returns the line of the screen with the selected row of the list.
func (s *harness) selectedLine() int {
	s.t.Helper()
	for y, line := range strings.Split(s.screen(), "\n") {
		if strings.HasPrefix(line, "│▌") {
			return y
		}
	}
	s.t.Errorf("no row is selected:\n%s", s.screen())
	return -1
}

// many is an engine with more jobs than a list has rows for.
func many() *fake {
	f := three()
	for i := range 60 {
		f.jobs = append(f.jobs, running(fmt.Sprintf("worker-%d", i), fmt.Sprintf("worker %02d.", i), time.Duration(i)*time.Minute))
	}
	return f
}

func TestRowsStayWhileTheLogHasTheRoom(t *testing.T) {
	for name, size := range map[string][2]int{"beside": {120, 40}, "above": {80, 24}, "low": {120, 10}, "alone": {50, 20}} {
		for _, eng := range []*fake{sixty(), many()} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newHarness(t, size[0], size[1], eng)
					s.press("j", "j", "j", "pgdown", "k")
					j, ok := s.pane.Selected()
					if !ok {
						t.Fatal("no job is selected")
					}
					before := s.selectedLine()
					s.press("enter")
					if beside := size[0] >= wideWidth; beside && s.selectedLine() != before {
						t.Errorf("row %d moved to %d:\n%s", before, s.selectedLine(), s.screen())
					}
					s.press("esc")
					if at := s.selectedLine(); at != before {
						t.Errorf("row %d is at %d afterwards:\n%s", before, at, s.screen())
					}
					if after, _ := s.pane.Selected(); after.ID != j.ID {
						t.Errorf("%s is selected, not %s", after.ID, j.ID)
					}
				})
			})
		}
	}
}
