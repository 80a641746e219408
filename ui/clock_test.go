package ui

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hobjobs/hob/engine"
	"github.com/hobjobs/hob/ui/components/detail"
)

func TestUsageHasOneSampleForEachSlot(t *testing.T) {
	var u usage
	cpu := func(percent float64) detail.Sample { return detail.Sample{CPU: percent, Memory: 1} }
	add := func(after time.Duration, percent float64, changes bool) {
		t.Helper()
		if got := u.add(noon.Add(after), cpu(percent)); got != changes {
			t.Errorf("after %v: changed is %v", after, got)
		}
	}
	add(0, 1, true)
	add(time.Second, 1, false)
	add(2*time.Second, 7, true)
	add(sampleEvery, 3, true)
	add(4*sampleEvery, 4, true)
	want := []detail.Sample{cpu(7), cpu(3), {CPU: -1}, {CPU: -1}, cpu(4)}
	if diff := cmp.Diff(want, u.samples); diff != "" {
		t.Error(diff)
	}
}

func TestUsageIsBounded(t *testing.T) {
	var u usage
	for i := range 10 * maxSamples {
		u.add(noon.Add(time.Duration(i)*sampleEvery), detail.Sample{CPU: float64(i)})
	}
	last := u.samples[len(u.samples)-1].CPU
	if len(u.samples) != maxSamples || cap(u.samples) > 2*maxSamples || last != 10*maxSamples-1 {
		t.Errorf("%d samples, room for %d, the last is %v", len(u.samples), cap(u.samples), last)
	}
	u.add(u.slot.Add(1000*time.Hour), detail.Sample{CPU: 5}) // as after the pane was hidden for a long time
	if n := len(u.samples); n != maxSamples || u.samples[n-1].CPU != 5 || u.samples[0].CPU != -1 {
		t.Errorf("after a long pause %d samples: %v", n, u.samples)
	}
}

func TestGraphOfTheSelectedJob(t *testing.T) {
	busy := func() *fake {
		eng := three()
		percent := 40.0
		eng.jobs[0].CPU, eng.jobs[0].RSS = &percent, 200<<20
		return eng
	}
	clock := func(o *options) { o.clock = time.Now }
	inBubble(t, "grows and ends with the job", func(t *testing.T) {
		eng := busy()
		s := newHarness(t, 200, 40, eng, clock)
		s.sees("· 40% · 200 MiB")
		s.press("2")
		s.sees("CPU       40%")
		s.sees("memory    200 MiB")
		for range 12 {
			s.pass(sampleEvery)
		}
		s.sees("▇▇▇▇▇▇▇▇")
		s.sees("peak 40% in")
		s.facts(engine.Event{Kind: engine.EventExited, Job: exited(eng.jobs[0], 0)})
		s.seesNot("peak 40%")
		if n := len(s.pane.jobs.all["dev-aaaaa"].usage.samples); n != 0 {
			t.Errorf("%d samples of a job that has ended", n)
		}
	})
	inBubble(t, "has its place before it is known", func(t *testing.T) {
		eng := busy()
		eng.jobs = append(eng.jobs, running("api-aaaaa", "make api", time.Minute))
		s := newHarness(t, 160, 40, eng, clock)
		s.run(s.pane.Select("api-aaaaa"))
		s.pump()
		s.press("2")
		s.sees("CPU       …")
		rows := s.pane.detail.Lines(80)
		percent := 3.0
		eng.jobs[3].CPU, eng.jobs[3].RSS = &percent, 8<<20
		s.facts(engine.Event{Kind: engine.EventTitle, Job: eng.jobs[3]})
		s.sees("CPU       3%")
		if got := s.pane.detail.Lines(80); got != rows {
			t.Errorf("%d lines, before it was known %d", got, rows)
		}
	})
	inBubble(t, "is text where there is no room", func(t *testing.T) {
		s := newHarness(t, 59, 40, busy(), clock)
		s.press("2")
		s.pass(3 * sampleEvery)
		s.sees("CPU 40% · 200 MiB")
	})
	inBubble(t, "is text with reduced motion", func(t *testing.T) {
		s := newHarness(t, 160, 40, busy(), clock, WithReducedMotion(true))
		s.press("2")
		s.sees("CPU 40% · 200 MiB")
	})
}
