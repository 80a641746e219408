package ui

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobjobs/hob/engine"
)

// When selected rows disappear, the next one is selected; after the last one the list is empty
// and no log is shown.
func TestRemovedRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		for n := len(s.eng.jobs); n > 0; n-- {
			j, ok := s.pane.Selected()
			if !ok {
				t.Fatalf("nothing is selected of %d", n)
			}
			s.facts(engine.Event{Kind: engine.EventRemoved, Job: j})
		}
		if j, ok := s.pane.Selected(); ok {
			t.Errorf("%s is selected of nothing", j.ID)
		}
		s.sees("No jobs")
		s.seesNot("listening on")
	})
}

func TestTabFocusesPanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		first := s.pane.view.focus
		var seen []area
		for range 3 {
			s.press("tab")
			seen = append(seen, s.pane.view.focus)
		}
		if seen[0] == first || seen[0] == seen[1] || seen[2] != first {
			t.Errorf("from %v Tab goes to %v", first, seen)
		}
		s.press("tab", "shift+tab")
		if s.pane.view.focus != first {
			t.Errorf("Shift+Tab goes to %v, not back to %v", s.pane.view.focus, first)
		}
	})
}

// The row shows that the job is being stopped. If stopping fails, it shows the previous status.
func TestStopIsVisibleInRow(t *testing.T) {
	inBubble(t, "it stops", func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		j := s.eng.jobs[0]
		j.Status, j.Stopping = engine.Stopping, &engine.StopRequest{Deadline: noon.Add(5 * time.Second)}
		s.facts(engine.Event{Kind: engine.EventTitle, Job: j})
		s.sees("◐ stopping")
		j.Status, j.Exit = engine.Killed, engine.Exit{Status: engine.Killed, Signal: "SIGTERM", Reason: engine.ReasonKill}
		s.facts(engine.Event{Kind: engine.EventExited, Job: j})
		s.seesNot("◐ stopping")
		s.sees("■ stopped")
	})
	inBubble(t, "it could not be stopped", func(t *testing.T) {
		eng := three()
		eng.fail["stop"] = engine.ErrUnreachable
		s := newHarness(t, 120, 30, eng)
		s.press("x")
		s.sees("Can't stop")
		s.sees("● running")
		s.seesNot("◐ stopping")
	})
}

// A job that ends while its terminal is being resized is not an error; other failures are.
func TestFailedResize(t *testing.T) {
	for name, err := range map[string]error{"ended": engine.ErrNotRunning, "keeps its size": engine.ErrUnsupported, "unreachable": engine.ErrUnreachable} {
		inBubble(t, name, func(t *testing.T) {
			s := newHarness(t, 80, 24, three())
			s.press("a")
			s.eng.mu.Lock()
			s.eng.fail["resize"] = err
			s.eng.mu.Unlock()
			s.run(s.pane.SetSize(90, 24))
			s.pass(resizeAfter)
			s.calledLast("resize 90x23")
			if !errors.Is(err, engine.ErrUnreachable) {
				s.seesNot("not resized")
				return
			}
			s.sees("Can't resize: the host is unreachable")
		})
	}
}

// The run time follows the clock and stops at the end.
func TestRunTimeIsUpdated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		eng := three()
		j := eng.jobs[0]
		j.StartedAt = began
		eng.jobs = []engine.Job{j}
		s := newHarness(t, 120, 30, eng, withClock(time.Now))
		for range 7 {
			s.pass(time.Second)
		}
		s.sees("running for 7s")
		j.Status, j.Exit = engine.Exited, engine.Exit{Status: engine.Exited, Code: new(int), At: began.Add(9 * time.Second)}
		s.facts(engine.Event{Kind: engine.EventExited, Job: j})
		for range 5 {
			s.pass(time.Second)
		}
		s.sees("after 9s")
	})
}
