package ui

import (
	"testing"
	"testing/synctest"
)

// In the log and on a live screen, the keys of a job act on the job shown there.
func TestJobKeysInTheLog(t *testing.T) {
	for name, tt := range map[string]struct {
		keys   []string
		sees   string
		called string
	}{
		"restart of a finished job": {[]string{"j", "enter", "r"}, "", `restart test-aaaaa`},
		"edit":                      {[]string{"j", "enter", "e"}, "make test", ""},
		"stop and clear asks":       {[]string{"enter", "d"}, "Stop and clear", ""},
		"clear of a running job":    {[]string{"enter", "c"}, "still running", ""},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newHarness(t, 120, 30, three())
			s.press(tt.keys...)
			if tt.sees != "" {
				s.sees(tt.sees)
			}
			if tt.called != "" {
				s.calledLast(tt.called)
			}
		})
	}
}

// A key that the log has itself is the log's.
func TestKeysOfTheLogComeFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.press("j", "enter", "n")
		if s.pane.modal.over != nil {
			t.Error("n opens a box in the log; it is the next match there")
		}
		s.press("esc", "n")
		if s.pane.modal.over == nil {
			t.Error("n opens nothing in the list")
		}
	})
}
