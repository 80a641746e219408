package ui

import (
	"fmt"
	"strconv"
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
