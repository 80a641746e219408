package ui

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobjobs/hob/engine"
)

func TestFailureCountsUntilTheUserLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.sees("✗ 1 new failure")
		s.sees("make test •")
		if len(s.eng.marked) > 0 {
			t.Errorf("%v are marked as seen", s.eng.marked)
		}
		s.press("j")
		s.pass(seenAfter)
		s.seesNot("new failure")
		s.seesNot("make test •")
		s.sees("✗ exit 2")
		if want := []engine.ID{"test-aaaaa"}; !slices.Equal(s.eng.marked, want) {
			t.Errorf("%v are marked as seen, want %v", s.eng.marked, want)
		}

		s.press("k", "j")
		s.facts(engine.Event{Kind: engine.EventAttention, Job: s.eng.jobs[1]}) // read before the failure was seen
		s.seesNot("new failure")
		if n := len(s.eng.marked); n != 1 {
			t.Errorf("it was marked %d times", n)
		}
	})
}

func TestFailureIsSeenAfterAMoment(t *testing.T) {
	const most = 9
	failures := func() *fake {
		f := &fake{fail: map[string]error{}}
		for i := range most {
			f.jobs = append(f.jobs, exited(running(fmt.Sprintf("job%d-aaaaa", i), fmt.Sprintf("make %d", i), time.Hour), 1))
		}
		return f
	}
	almost := seenAfter - time.Millisecond
	for name, tt := range map[string]struct {
		do   func(s *harness)
		want int
	}{
		"at the start, too short":  {func(s *harness) { s.pass(almost) }, 0},
		"at the start, long":       {func(s *harness) { s.pass(seenAfter) }, 1},
		"the cursor passes":        {func(s *harness) { s.press("j", "j", "j", "j", "j", "j", "j", "j") }, 0},
		"and stays on the last":    {func(s *harness) { s.press("j", "j", "j"); s.pass(seenAfter) }, 1},
		"each for almost a moment": {func(s *harness) { s.pass(almost); s.press("j"); s.pass(almost); s.press("k"); s.pass(almost) }, 0},
		"a typed filter":           {func(s *harness) { s.press("/"); s.write("make 7"); s.press("enter") }, 0},
		"a typed filter, long":     {func(s *harness) { s.press("/"); s.write("make 7"); s.press("enter"); s.pass(seenAfter) }, 1},
		"the log is opened":        {func(s *harness) { s.press("j", "enter") }, 1},
		"the job is attached":      {func(s *harness) { s.press("j", "a") }, 1},
		"without the focus":        {func(s *harness) { s.pane.Blur(); s.pass(seenAfter) }, 0},
		"focused again":            {func(s *harness) { s.pane.Blur(); s.pass(seenAfter); s.pane.Focus(); s.press("esc") }, 1},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newHarness(t, 120, 30, failures())
			tt.do(s)
			if n := len(s.eng.marked); n != tt.want {
				t.Errorf("%v are marked as seen, want %d", s.eng.marked, tt.want)
			}
			if n := s.pane.Counts().Failed; n != most-tt.want {
				t.Errorf("%d failed, want %d", n, most-tt.want)
			}
		})
	}
}

func TestFailureOnScreenIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.pass(seenAfter)
		s.facts(engine.Event{Kind: engine.EventExited, Job: exited(s.eng.jobs[0], 1)})
		if want := []engine.ID{"dev-aaaaa"}; !slices.Equal(s.eng.marked, want) {
			t.Errorf("%v are marked as seen, want %v", s.eng.marked, want)
		}
	})
}

func TestSeenFailureIsNotShownAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.jobs[1].Seen = true
		s := newHarness(t, 120, 30, eng)
		s.seesNot("new failure")
		s.sees("hob   ● 1 running  ")
	})
}

func TestFailureIsExplainedInTheDetail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.why = map[engine.ID]string{"test-aaaaa": "Exited 2: test failed: TestAdd"}
		s := newHarness(t, 120, 30, eng)
		s.seesNot("TestAdd")
		s.press("j")
		s.sees("│ test failed: TestAdd")
		s.press("k", "j")
		s.sees("│ test failed: TestAdd")
		s.press("3") // the log has the room
		s.sees("│ test failed: TestAdd")
		s.press("2")
		s.sees("result    Exited 2: test failed: TestAdd")
	})
}

// The detail shows that the command of [notify] failed, also after a further event of the job.
func TestFailedNotificationInTheDetail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.unnotified = map[engine.ID]*engine.NotifyFailure{"test-aaaaa": {Event: "failed", Error: "exit code 7", Output: "no such user"}}
		s := newHarness(t, 120, 30, eng)
		s.press("2")
		s.seesNot("exit code 7")
		s.press("1", "j", "2")
		s.sees("notify    failed: exit code 7 · no such user")
		s.facts(engine.Event{Kind: engine.EventTitle, Job: s.eng.jobs[1]})
		s.sees("notify    failed: exit code 7 · no such user")
	})
}

func TestFailureSeenInAnotherProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.sees("✗ 1 new failure")
		seen := s.eng.jobs[1]
		seen.Seen = true
		s.facts(engine.Event{Kind: engine.EventTitle, Job: seen})
		s.seesNot("new failure")
		s.seesNot("make test •")
	})
}
