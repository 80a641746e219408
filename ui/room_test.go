package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
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
		for _, eng := range []*fake{sixtyJobs(), many()} {
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

func TestOtherJobsWithoutLeavingTheLog(t *testing.T) {
	for name, tt := range map[string]struct {
		keys  []string
		job   string
		focus area
		sees  string
	}{
		"next in the log":       {[]string{"enter", "]"}, "test-aaaaa", areaLog, "FAIL TestTwo"},
		"and back":              {[]string{"enter", "]", "["}, "dev-aaaaa", areaLog, "listening on :5173"},
		"its place":             {[]string{"enter", "]"}, "test-aaaaa", areaLog, "✗ exit 2 after 1m00s · 2 of 3 ╮"},
		"before the first":      {[]string{"enter", "["}, "dev-aaaaa", areaLog, "This is the first job"},
		"after the last":        {[]string{"enter", "]", "]", "]"}, "build-aaaaa", areaLog, "This is the last job"},
		"next in the detail":    {[]string{"2", "]"}, "test-aaaaa", areaDetail, "result    exited 2"},
		"in the list":           {[]string{"]"}, "test-aaaaa", areaList, "FAIL TestTwo"},
		"by a click on the key": {[]string{"enter", "click"}, "test-aaaaa", areaLog, "FAIL TestTwo"},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newHarness(t, 80, 24, three())
			for _, k := range tt.keys {
				if k == "click" {
					s.deliver(tea.MouseClickMsg{X: 12, Y: 23, Button: tea.MouseLeft})
					s.pump()
					continue
				}
				s.press(k)
			}
			if j, _ := s.pane.Selected(); string(j.ID) != tt.job {
				t.Errorf("%s is selected, want %s", j.ID, tt.job)
			}
			if s.pane.view.focus != tt.focus {
				t.Errorf("the focus is %v, want %v", s.pane.view.focus, tt.focus)
			}
			s.sees(tt.sees)
		})
	}
}

func TestZoomWhereNothingElseIsShownSaysSo(t *testing.T) {
	for name, tt := range map[string]struct {
		w, h   int
		keys   []string
		zoomed bool
	}{
		"wide":               {120, 30, []string{"enter", "z"}, true},
		"above each other":   {80, 24, []string{"z"}, true},
		"the log alone":      {80, 24, []string{"enter", "z"}, false},
		"one pane at a time": {50, 24, []string{"z"}, false},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newHarness(t, tt.w, tt.h, three())
			s.press(tt.keys...)
			if s.pane.view.zoomed != tt.zoomed {
				t.Errorf("zoomed: %v, want %v", s.pane.view.zoomed, tt.zoomed)
			}
			if !tt.zoomed {
				s.sees("This pane has the whole window already")
			}
		})
	}
}
