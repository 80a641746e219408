package ui

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/hobjobs/hob/engine"
)

// BenchmarkFrame redraws the panes with 1,000 jobs, as after a tick.
func BenchmarkFrame(b *testing.B) {
	eng := three()
	for i := range 1000 {
		eng.jobs = append(eng.jobs, running(fmt.Sprintf("job-%d", i), "sleep 1000", time.Duration(i)*time.Second))
	}
	p := newPane(eng, WithHeader(true), withClock(func() time.Time { return noon }))
	defer p.Close()
	p.SetSize(200, 50)
	var events []engine.Event
	for _, j := range eng.jobs {
		events = append(events, engine.Event{Kind: engine.EventCreated, Job: j})
	}
	p.handleEvents(events, noon)
	at := noon
	for b.Loop() {
		at = at.Add(time.Second)
		p.Update(thenMsg{p.tasks, func() tea.Cmd { return p.ticked(p.clock.chain, at) }})
		p.View()
	}
}

// answers counts the messages of commands until text is on the screen.
func (s *harness) answers(text string) (n int) {
	s.t.Helper()
	for ; !strings.Contains(s.screen(), text); n++ {
		synctest.Wait()
		select {
		case msg := <-s.msgs:
			s.deliver(msg)
		default:
			s.t.Fatalf("%q is not shown after %d messages:\n%s", text, n, s.screen())
		}
	}
	return n
}

// A key that selects another job shows the log with the answer of the first command, so that it is in the
// next frame.
func TestLogOfSelectedJobIsShownAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := three()
		eng.jobs[1] = running("test-aaaaa", "make test", 13*time.Minute)
		s := newHarness(t, 120, 30, eng)
		for _, at := range []struct{ key, shown string }{{"j", "FAIL TestTwo"}, {"k", "listening on :5173"}} {
			s.deliver(named(at.key))
			if n := s.answers(at.shown); n > 1 {
				t.Errorf("%s: the log is shown after %d messages", at.key, n)
			}
			s.pump()
		}
	})
}

// New output of the job whose log is followed draws one frame: that of the lines.
func TestOutputDrawsOneFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		log := s.pane.output.source.(*fakeLog)
		s.pane.View()
		log.text += "[vite] page reload\n"
		j := s.eng.jobs[0]
		j.Output = int64(len(log.text))
		s.eng.sub.batches <- []engine.Event{{Kind: engine.EventOutput, Job: j, Offset: j.Output}}
		drawn := 0
		for synctest.Wait(); len(s.msgs) > 0; synctest.Wait() {
			s.deliver(<-s.msgs)
			if s.pane.frame.dirty {
				s.pane.View()
				drawn++
			}
		}
		s.sees("[vite] page reload")
		if drawn != 1 {
			t.Errorf("%d frames were drawn", drawn)
		}
	})
}

// A flood of output in a job that is not shown draws nothing.
func TestFloodOfHiddenJobDrawsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newHarness(t, 120, 30, three())
		s.press("j")
		s.pane.View()
		j := s.eng.jobs[0]
		for i := range 100 {
			j.Output, j.Line = int64(i)<<20, "line "+strconv.Itoa(i)
			s.eng.sub.batches <- []engine.Event{{Kind: engine.EventOutput, Job: j, Offset: j.Output}}
			s.pump()
			if s.pane.frame.dirty {
				t.Fatal("output of a job that is not shown draws the frame anew")
			}
		}
		s.pass(time.Second)
		s.sees("line 99")
	})
}
