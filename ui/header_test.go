package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobjobs/hob/engine"
)

// At any width, the header shows the number of failures.
func TestHeaderAlwaysShowsFailures(t *testing.T) {
	waits := running("apply-aaaaa", "terraform apply", time.Minute)
	waits.Waiting = true
	several := func(running, failed int) *fake {
		eng := three()
		eng.jobs = append(eng.jobs, waits)
		for range running {
			j := eng.jobs[0]
			j.ID = engine.ID("more-" + strings.Repeat("a", len(eng.jobs)))
			eng.jobs = append(eng.jobs, j)
		}
		for range failed {
			j := eng.jobs[1]
			j.ID = engine.ID("more-" + strings.Repeat("a", len(eng.jobs)))
			eng.jobs = append(eng.jobs, j)
		}
		return eng
	}
	others := func() *fake {
		eng := several(0, 2)
		for i := range eng.jobs {
			j := &eng.jobs[i]
			switch {
			case j.ID == waits.ID: // stopped by the user
				*j = exited(*j, 0)
				j.Status, j.Exit = engine.Killed, engine.Exit{Status: engine.Killed, Reason: engine.ReasonKill, Signal: "SIGTERM"}
			case strings.HasPrefix(string(j.ID), "more-"):
				j.Seen = true
			}
		}
		return eng
	}
	looping := func() *fake {
		eng := three()
		eng.jobs[0].Status, eng.jobs[0].Runs = engine.Queued, &engine.Runs{Failures: 1, NextAt: noon.Add(time.Minute)}
		return eng
	}
	unhealthy := func() *fake {
		eng := three()
		eng.jobs[0].Health = &engine.Health{State: engine.Unhealthy, Failures: 3}
		return eng
	}
	stale := func() *fake { // the line of hosts is about it
		eng := three()
		eng.jobs[0].Link = engine.LinkUnreachable
		return eng
	}
	for name, tt := range map[string]struct {
		w    int
		eng  *fake
		want string
	}{
		"wide":                         {100, several(0, 0), " hob   ◆ 1 needs input   ✗ 1 new failure   ● 1 running"},
		"no other news":                {100, others(), " hob   ✗ 1 new failure   ● 1 running"},
		"closer":                       {51, several(0, 0), " hob  ◆ 1 needs input  ✗ 1 new failure  ● 1 running"},
		"words of what needs the user": {50, several(0, 0), " hob  ◆ 1 needs input  ✗ 1 new failure  ● 1"},
		"shorter words":                {42, several(0, 0), " hob  ◆ 1 input  ✗ 1 failed  ● 1"},
		"narrow":                       {40, several(4, 2), " hob  ◆ 1 input  ✗ 3 failed  ● 5"},
		"many":                         {40, several(120, 140), " hob  ◆ 1 input  ✗ 141 failed  ● 121"},
		"none waits":                   {40, three(), " hob   ✗ 1 new failure   ● 1 running"},
		"unhealthy":                    {100, unhealthy(), " hob   ✗ 1 new failure   ● 1 unhealthy"},
		"stale":                        {100, stale(), " hob   ✗ 1 new failure"},
		"restarting":                   {100, looping(), " hob   ✗ 1 new failure   ↻ 1 restarting"},
	} {
		inBubble(t, name, func(t *testing.T) {
			s := newHarness(t, max(tt.w, 20), 20, tt.eng)
			if got := strings.TrimRight(ansi.Strip(s.pane.header(tt.w)), " "); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
